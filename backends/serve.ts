/** Runs the configurations that arrive, one after the other, and hands each run its inputs. */
import type { Line } from "../files/lines/line-splitter.ts";
import type { EventBody } from "../protocol/runs/event.ts";
import type { ControlLine, RunConfig } from "../protocol/runs/run-config.ts";
import { backendOf } from "./built-in.ts";
import type { Clock } from "./provider/clock.ts";
import { Inbox } from "./loop/run/inbox.ts";
import { readInstruction } from "./input-lines.ts";
import { type Emit, runAgent } from "./loop/run/run.ts";

export type ServeContext = {
  emit: Emit;
  clock: Clock;
  environment: NodeJS.ProcessEnv;
  /** Hears of what is passed over. */
  warn(message: string): void;
  /** Aborted: the run is cancelled, and no other one is begun. */
  signal: AbortSignal;
};

/** `told` is what the run hears; `ended`, once it has ended, whether it finished. */
type Current = { told(control: ControlLine): void; ended: Promise<boolean>; isOver: boolean };

const over: IteratorReturnResult<undefined> = { done: true, value: undefined };

/**
 * Reads lines until their end, or until a run with an `agent_id` is over: cortex starts a process for each run and leaves its
 * stdin open. A control line belongs to the configuration before it; a second configuration waits for the first run's end.
 * Returns whether every line became a run that finished.
 */
export async function serve(
  lines: AsyncIterator<Line, undefined>,
  { signal, ...around }: ServeContext,
): Promise<boolean> {
  let current: Current | undefined;
  let isSingle = false;
  let isAllWell = true;
  const stopped = new Promise<typeof over>((resolve) =>
    signal.addEventListener("abort", () => resolve(over), { once: true }),
  );

  while (!signal.aborted) {
    const single = isSingle && current ? current.ended.then(() => over) : stopped;
    const next = await Promise.race([lines.next(), single, stopped]);
    if (next.done) break;
    if (next.value.text.trim() === "") continue;
    const instruction = await readInstruction(next.value);
    if (instruction.kind === "control") {
      if (!current || current.isOver) around.warn(`nothing is running: ${instruction.control.type} is passed over`);
      else current.told(instruction.control);
    } else if (isSingle) {
      around.warn("a line that is neither input nor cancel is passed over");
    } else {
      await settle();
      if (signal.aborted) break;
      if (instruction.kind === "invalid") {
        isAllWell = false;
        await around.emit({ event: "error", error: instruction.error, reason: "config" } satisfies EventBody);
      } else {
        isSingle = instruction.config.agent_id !== undefined;
        current = begin(instruction.config, signal, around);
      }
    }
  }
  await settle();
  return isAllWell && !signal.aborted;

  async function settle(): Promise<void> {
    if (current && !(await current.ended)) isAllWell = false;
    current = undefined;
  }
}

function begin(config: RunConfig, signal: AbortSignal, around: Omit<ServeContext, "signal">): Current {
  const cancelled = new AbortController();
  const inbox = new Inbox();
  const run = { config, inbox, ...around, signal: AbortSignal.any([signal, cancelled.signal]) };
  const current: Current = {
    isOver: false,
    told: (control) => (control.type === "cancel" ? cancelled.abort() : inbox.push(control)),
    ended: runAgent(run, (name) => backendOf(name, config)).then((isFinished) => {
      current.isOver = true;
      return isFinished;
    }),
  };
  return current;
}
