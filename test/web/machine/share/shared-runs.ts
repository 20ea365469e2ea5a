/** Runs that have ended, and the pages that are shared of them. */
import { runState } from "../../../../journal/runs/run-files.ts";
import { isTerminal } from "../../../../protocol/runs/event.ts";
import type { MachineSystem } from "../machine-system.ts";

export async function ended({ system }: MachineSystem, prompt: string): Promise<string> {
  const id = system.request({ prompt });
  await system.until(() => system.file(id).some(isTerminal), "it has ended");
  await system.until(() => runState(system.journal, id) === "ended", "its file is closed");
  return id;
}

export const shared = ({ api }: MachineSystem, id: string): Promise<{ name: string; html: string }> =>
  api.owner.get(`/runs/${id}/share`);

/** A run in which each text stands wherever a run can say something. */
export function saying(texts: readonly string[]): string {
  const steps = texts.flatMap((text, index) => [
    { ev: { event: "thinking", summary: text } },
    { ev: { event: "text", text } },
    { ev: { event: "tool_start", call_id: `c${index}`, tool: "bash", args: { command: text } } },
    { ev: { event: "tool_end", call_id: `c${index}`, tool: text, args: { [text]: [text] }, result: text } },
    { ev: { event: "error", error: text, terminal: false } },
  ]);
  return JSON.stringify([...steps, { ev: { event: "finish", result: texts.join("\n") } }]);
}
