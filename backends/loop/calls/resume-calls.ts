/** Makes the calls again that waited for a person when the attempt before this one was lost: the tool server knows them by their ids. */
import { neverEnded } from "../../../conversation/repair.ts";
import type { Message } from "../../../protocol/runs/run-config.ts";
import type { Run } from "../run/run.ts";
import { callTool, type Toolbox } from "./tools.ts";

type ResumedRun = Pick<Run, "config" | "signal" | "clock" | "emit"> & { tools: Toolbox };

/** Their results take the place of what the history says of them. */
export async function resumeCalls(
  history: Message[],
  { config, tools, signal, clock, emit }: ResumedRun,
): Promise<void> {
  for (const id of config.waiting_calls ?? []) {
    const at = history.findIndex(({ role, call_id, result }) => role === "tool" && call_id === id && isOfNoEnd(result));
    const call = history.flatMap(({ calls = [] }) => calls).find(({ call_id }) => call_id === id);
    if (at === -1 || !call) continue;
    const started = clock.now();
    const { tool, args } = call;
    const answer = await callTool(tools, tool, args, signal, { id, isCutOff: true });
    const { text: result, isError: is_error } = answer;
    const files = answer.parts && { parts: answer.parts };
    const duration_ms = clock.now() - started;
    await emit({ event: "tool_end", tool, args, call_id: id, result, ...files, is_error, duration_ms });
    history[at] = { role: "tool", call_id: id, result, ...files, is_error };
  }
}

const isOfNoEnd = (result: unknown) => JSON.stringify(result) === JSON.stringify(neverEnded);
