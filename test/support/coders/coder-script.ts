/**
 * The answers of a played model to a coding agent, whose own prompts and tools nobody here knows ahead: by a rule, from the
 * conversation that it sends, so that a call that is made again, or an agent that was killed, gets the same answer.
 */

/** A step of a script: a prompt holds `DO ` and then a list of them as JSON. `say` ends it. */
export type CoderStep =
  | { read: string }
  | { write: string; text: string }
  /** `ask`: out of the sandbox that an agent may have of its own, for which it asks. */
  | { run: string; ask?: true }
  | { tool: string; args?: Record<string, unknown> }
  | { say: string }
  /** No answer until the test says so. */
  | { hold: string };

/** A part of the conversation as any provider's dialect has it, oldest first. */
export type Said = { from: "user"; text: string } | { from: "tool"; text: string } | { from: "model" };

/** `space`: of names that tools share. */
export type Offered = { name: string; schema: Record<string, unknown>; space?: string };

export type ModelAnswer = (
  | { text: string }
  | { call: { tool: string; args: Record<string, unknown>; space?: string } }
) & {
  held?: string;
};

/** The prompt of a script. */
export const scriptOf = (...steps: CoderStep[]): string => `DO ${JSON.stringify(steps)}`;

/** Finds what the model says next. What isn't asked by a script (a title, a choice of models) is answered with a word. */
export function nextAnswer(said: readonly Said[], tools: readonly Offered[]): ModelAnswer {
  const at = said.findLastIndex((one) => one.from === "user" && stepsIn(one.text) !== null);
  const asked = said[at];
  const steps = asked?.from === "user" ? stepsIn(asked.text) : null;
  if (steps === null || (tools.length === 0 && steps.some((step) => !("say" in step)))) return { text: "played" };
  const step = steps[said.slice(at + 1).filter(({ from }) => from === "tool").length] ?? { say: "done" };
  if ("say" in step) return { text: step.say };
  if ("hold" in step) return { text: "held", held: step.hold };
  return { call: callOf(step, tools) };
}

/** The results of tools since the script. */
export function resultsIn(said: readonly Said[]): string[] {
  const at = said.findLastIndex((one) => one.from === "user" && stepsIn(one.text) !== null);
  return said.slice(at + 1).flatMap((one) => (one.from === "tool" ? [one.text] : []));
}

function stepsIn(text: string): CoderStep[] | null {
  const at = text.lastIndexOf("DO [");
  if (at === -1) return null;
  const rest = text.slice(at + 3);
  // Agents put their own words behind a prompt.
  for (let end = rest.indexOf("]"); end !== -1; end = rest.indexOf("]", end + 1))
    try {
      return JSON.parse(rest.slice(0, end + 1)) as CoderStep[];
    } catch {}
  return null;
}

type CallStep = Exclude<CoderStep, { say: string } | { hold: string }>;

/** A step by the agent's own tool for it. */
function callOf(step: CallStep, tools: readonly Offered[]): Extract<ModelAnswer, { call: unknown }>["call"] {
  if ("tool" in step) {
    const found = tools.find(({ name }) => name === step.tool || name.endsWith(`_${step.tool}`));
    return { tool: found?.name ?? step.tool, args: step.args ?? {}, ...(found?.space && { space: found.space }) };
  }
  const wanted = "read" in step ? readers : "write" in step ? writers : shells;
  const tool = tools.find(({ name }) => wanted.includes(name));
  if (tool) return { tool: tool.name, args: argsFor(tool, step) };
  const shell = tools.find(({ name }) => shells.includes(name));
  const command =
    "read" in step ? `cat ${step.read}` : "write" in step ? `printf '%s' '${step.text}' > ${step.write}` : step.run;
  if (!shell) return { tool: "missing", args: { offered: tools.map(({ name }) => name) } };
  return { tool: shell.name, args: argsFor(shell, { run: command }) };
}

const readers = ["Read", "read", "read_file"];
const writers = ["Write", "write", "write_file"];
const shells = ["Bash", "bash", "run_shell_command", "exec_command", "shell", "shell_command", "local_shell"];

/** The arguments, by the names that the tool's schema has. */
function argsFor({ schema }: Offered, step: Exclude<CallStep, { tool: string }>): Record<string, unknown> {
  const known = Object.keys((schema["properties"] ?? {}) as Record<string, unknown>);
  const named = (...names: string[]) => names.find((name) => known.includes(name)) ?? names[0] ?? "";
  const path = named("file_path", "filePath", "absolute_path", "path");
  if ("read" in step) return { [path]: step.read };
  if ("write" in step) return { [path]: step.write, [named("content")]: step.text };
  const command = named("command", "cmd");
  const isList = (schema["properties"] as Record<string, { type?: string }> | undefined)?.[command]?.type === "array";
  return {
    [command]: isList ? ["bash", "-lc", step.run] : step.run,
    ...(known.includes("description") && { description: "a command" }),
    ...(step.ask && known.includes("sandbox_permissions") && { sandbox_permissions: "require_escalated" }),
    ...(step.ask && known.includes("justification") && { justification: "it is to be asked about" }),
  };
}
