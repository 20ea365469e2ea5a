/** Takes what an attempt's output says: plain events go into the file, all others are inputs of the run's table. */
import { type EventBody, isTerminal } from "../../protocol/runs/event.ts";
import type { OutputHearer } from "../output/agent-output.ts";
import type { Metering } from "./metering.ts";
import type { AttemptLimits } from "./attempt-limits.ts";
import type { RunScope } from "../run-scope/run-scope.ts";

export function outputSink(scope: RunScope, limits: AttemptLimits, metering: Metering): OutputHearer {
  const { machine, writer, plan, context } = scope;
  return {
    nextSeq: () => writer.nextSeq,
    size: () => writer.size,
    heard: () => limits.heard(),
    inTurn: (work) => machine.inTurn(work),
    isPlain: (event) => isPlain(scope, event),
    write: (events, maxBytes) =>
      scope.write(
        events.map((event) => metering.marked(event)),
        maxBytes,
      ),
    step: (event, take) => giveToTable(scope, limits, event, take),
    // What tools print is told to whoever watches; pieces of the answer only where they are asked for.
    pass: (event) => (plan.stream || event.event !== "text_delta") && writer.pass(event),
    used: () => limits.checkBudget(),
    tooMuch: async (error) => {
      if (machine.run.stop === null) await machine.apply({ type: "stop", reason: "budget", error, atOnce: true });
    },
    paced: () => context.publisher.paced(),
  };
}

function isPlain({ machine: { run } }: RunScope, event: EventBody): boolean {
  return run.hasStart && !isTerminal(event) && (run.state === "running" || run.state === "stopping");
}

/**
 * Gives the table an event that it decides on. What cortex writes because of it stands before it, in the file and in the
 * cursor.
 */
async function giveToTable(
  { machine }: RunScope,
  limits: AttemptLimits,
  event: EventBody,
  take: () => void,
): Promise<void> {
  const { state, hasStart } = machine.run;
  if (state === "draining" || state === "closing") return; // nothing counts after the terminal event
  if (isTerminal(event)) await limits.checkDisk();
  if (!hasStart && event.event === "start") take();
  await machine.apply({ type: "event", event }, (effect) => {
    if (effect.do === "pass" || (effect.do === "append" && effect.event === event)) take();
  });
  take();
  await limits.checkBudget();
}
