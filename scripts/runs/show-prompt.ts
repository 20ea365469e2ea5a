/** `cortex runs prompt`: what a run's model was sent first. Needs no bus. */
import { cleaned } from "../../proc/logging/terminal.ts";
import { readEnvironment } from "../../proc/programs/environment.ts";
import { exitCodes } from "../../protocol/runs/exit-codes.ts";
import { promptOf } from "../../web/machine/prompts/prompt-of.ts";
import type { RunPrompt } from "../../web/machine/records/run-records.ts";
import { WorkspaceError } from "../../workspace/records/workspace-error.ts";
import { parseCommandLine, usageError } from "../command/command.ts";
import { writeOut } from "../command/layout/output.ts";
import { findRun } from "./find-run.ts";

export async function showPrompt(args: string[]): Promise<number> {
  const { values, positionals } = parseCommandLine(args, { json: { type: "boolean" } }, "cortex runs", 1);
  const { journalPath } = readEnvironment();
  const prompt = await promptOf({ journal: journalPath }, findRun(journalPath, positionals[0])).catch(refused);
  await writeOut(values.json ? `${JSON.stringify(prompt)}\n` : text(prompt));
  return exitCodes.done;
}

function refused(error: unknown): never {
  if (error instanceof WorkspaceError) throw usageError(error.message, "see: cortex runs list");
  throw error;
}

const origins = {
  sent: "Instruction",
  rebuilt: "Instruction, as it would be now: what was sent wasn't noted here",
  unknown: "Instruction: it isn't known",
};

function text({ instruction, context, origin, messages, is_whole, prompt }: RunPrompt): string {
  const before = messages.map((message) => `${message.role}: ${wordsOf(message)}`).join("\n\n");
  const parts = [
    [origins[origin], [instruction, context].filter((part) => part !== null).join("\n\n")],
    [is_whole ? "Before" : "Before, without what is older", before],
    ["Prompt", prompt],
  ].filter(([, body]) => body !== "");
  return parts.map(([head = "", body = ""]) => `== ${head} ==\n${cleaned(body)}\n`).join("\n");
}

function wordsOf({ text: said, calls, result }: RunPrompt["messages"][number]): string {
  const called = (calls ?? []).map((call) => `calls ${JSON.stringify(call)}`);
  const shown = typeof result === "string" ? result : result === undefined ? "" : JSON.stringify(result);
  return [said ?? "", ...called, shown].filter((part) => part !== "").join("\n");
}
