/** The effects of a run's result: the file that it was saved in, and the run that it was handed on to. */
import { setTimeout as delay } from "node:timers/promises";
import { join } from "node:path";
import { runFile } from "../../journal/runs/run-files.ts";
import { tailRun } from "../../journal/runs/tail-run.ts";
import type { AgentEvent } from "../../protocol/runs/event.ts";
import { textField } from "../../protocol/runs/text-field.ts";
import { asTyped } from "../command/typed-command.ts";

/** Saving and handing on takes milliseconds; what hasn't come by then is told of later by `cortex runs show`. */
const withinMs = 10_000;

/** Tells it, a line each, as soon as the run's file is closed. A run of another host has none here. */
export async function tellAfter(journal: string, agentId: string, tell: (line: string) => void): Promise<void> {
  if (runFile(journal, agentId) === null) return;
  const told = async () => {
    for await (const { event } of tailRun(journal, agentId)) {
      const line = lineOf(event, journal);
      if (line !== null) tell(line);
    }
  };
  const tooLong = delay(withinMs, asTyped(`not closed yet; later: cortex runs show ${agentId}`), { ref: false });
  const late = await Promise.race([told(), tooLong]);
  if (late !== undefined) tell(late);
}

function lineOf(event: AgentEvent, journal: string): string | null {
  if (event.event === "saved") return `saved ${join(journal, textField(event, "path"))}`;
  if (event.event === "save_failed") return `not saved: ${textField(event, "error")}`;
  if (event.event === "changes") {
    const { files, more = 0 } = event;
    const count = (Array.isArray(files) ? files.length : 0) + Number(more);
    return asTyped(`changed ${count} ${count === 1 ? "file" : "files"}; look: cortex changes show ${event.agent_id}`);
  }
  if (event.event !== "handoff") return null;
  const to = textField(event, "to");
  return asTyped(`handed on to ${to}; follow it: cortex runs tail ${to}`);
}
