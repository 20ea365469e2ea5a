/** `cortex persona preview`: what the model is told of a persona, as it is saved or as it would be. Needs no bus. */
import { loadPersonas } from "../../../personas/load.ts";
import { PersonaFileError, readPersonaFiles } from "../../../personas/persona-files.ts";
import { cleaned } from "../../../proc/logging/terminal.ts";
import { type Environment, readEnvironment } from "../../../proc/programs/environment.ts";
import { isRecord } from "../../../protocol/json/json-object.ts";
import { tryParseJson } from "../../../protocol/json/parse-json.ts";
import { exitCodes } from "../../../protocol/runs/exit-codes.ts";
import { previewPersona } from "../../../web/journal/personas/preview-persona.ts";
import { askAgentsOnce } from "../../command/agents-connection.ts";
import { CommandError, parseCommandLine, usageError } from "../../command/command.ts";
import { writeOut } from "../../command/layout/output.ts";
import { missingPersona } from "./persona-missing.ts";
import { draftOf } from "./persona-put.ts";

const text = { type: "string" } as const;
const options = { json: { type: "boolean" }, text, settings: text } as const;

type Preview = Awaited<ReturnType<typeof previewPersona>>;
/** The prompts of a persona's long-lived agents, by whom they are for. */
type AgentPrompts = { owner: string; stranger: string; task: string };
type Draft = { instruction: string; settings: Record<string, unknown> };

/** @param args what stands behind `preview` */
export async function previewAction(args: string[]): Promise<number> {
  const { values, positionals } = parseCommandLine(args, options, "cortex persona", 1);
  const [name] = positionals;
  if (name === undefined) throw usageError("cortex persona preview takes a name", "names: cortex persona list");
  const env = readEnvironment();
  const { text: instruction, settings } = await draftOf(values);
  const draft = draftWith(env.journalPath, name, { instruction, settings });
  const preview = await previewPersona({ journal: env.journalPath }, name, draft);
  const companion = await agentPrompts(env, name);
  const document = { persona: name, instruction: draft.instruction, ...preview, companion };
  await writeOut(values.json ? `${JSON.stringify(document)}\n` : textOf(draft.instruction, preview, companion));
  if (!values.json) process.stderr.write(problemsOf(preview));
  return preview.problem === null ? exitCodes.done : exitCodes.usage;
}

/** The persona with the parts that were given in place of its own. @throws CommandError where it has none and they are needed */
function draftWith(journal: string, name: string, given: Partial<Draft>): Draft {
  const { instruction, settings } = given;
  const files = filesOf(journal, name);
  const saved: unknown = tryParseJson(files?.settings ?? "{}");
  if ((instruction === undefined && files === null) || (settings === undefined && !isRecord(saved)))
    throw missingPersona(name, loadPersonas(journal));
  return {
    instruction: instruction ?? files?.text ?? "",
    settings: settings ?? (isRecord(saved) ? saved : {}),
  };
}

function filesOf(journal: string, name: string) {
  try {
    return readPersonaFiles(journal, name);
  } catch (error) {
    if (error instanceof PersonaFileError) throw usageError(error.message, "see: cortex persona check", error);
    throw error;
  }
}

/** Null: the agents' service is away, or has no such persona. */
async function agentPrompts(env: Environment, persona: string): Promise<AgentPrompts | null> {
  try {
    const { owner, stranger, task } = (await askAgentsOnce(env, "prompts show", { persona })) as AgentPrompts;
    return { owner, stranger, task };
  } catch (error) {
    if (error instanceof CommandError) return null;
    throw error;
  }
}

function textOf(instruction: string, { tools }: Preview, companion: AgentPrompts | null): string {
  const parts: [head: string, body: string][] = [
    ["Instruction", instruction],
    ["Tools", tools.length === 0 ? "none" : tools.join(", ")],
  ];
  if (companion)
    parts.push(
      ["As an agent, to you", companion.owner],
      ["As an agent, to a stranger", companion.stranger],
      ["As a sub-agent", companion.task],
    );
  return parts.map(([head, body]) => `== ${head} ==\n${cleaned(body.trimEnd())}\n`).join("\n");
}

function problemsOf({ problem, unknown_tools: unknown }: Preview): string {
  const lines = [
    ...(unknown.length > 0 ? [`! tools: nothing is called ${unknown.join(", ")}`] : []),
    ...(problem === null ? [] : [`✗ it couldn't be saved so: ${problem}`]),
  ];
  return lines.map((line) => `${line}\n`).join("");
}
