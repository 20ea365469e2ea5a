/** Carries out what the table of a run's life asks for. */
import { failpoint } from "../../proc/programs/failpoint.ts";
import type { EventBody } from "../../protocol/runs/event.ts";
import type { Effect } from "../model/run-state.ts";
import type { Attempt } from "../attempts/attempt.ts";
import type { Metering } from "../attempts/metering.ts";
import type { AttemptLimits } from "../attempts/attempt-limits.ts";
import { endRun, handOnLate, settleRun } from "../finalization/finish.ts";
import { quarantineFenced } from "../finalization/quarantine-fenced.ts";
import type { RunScope } from "../run-scope/run-scope.ts";

/** The objects that an effect acts on. */
export type EffectTargets = { scope: RunScope; limits: AttemptLimits; attempt: Attempt; metering: Metering };

export async function carryOut(effect: Effect, { scope, limits, attempt, metering }: EffectTargets): Promise<void> {
  const { machine, folder, writer, context, agentId, record } = scope;
  const { processes } = context;
  switch (effect.do) {
    case "append":
      return scope.writeOwn(effect.event.event === "start" ? completeStart(scope, effect.event) : effect.event);
    case "pass":
      return attempt.output.notePlace();
    case "catchUp":
      return writer.catchUp();
    case "end":
      await metering.settle();
      return endRun(scope, effect.event);
    case "ask":
      await scope.ifPossible(() => processes.put(folder, JSON.stringify(effect.line)));
      return failpoint("input-put");
    case "recordStop":
      await scope.ifPossible(() => processes.recordStop(folder, effect.reason));
      return failpoint("stop-recorded");
    case "signal":
      processes.signal(folder, effect.signal);
      return effect.signal === "SIGKILL" ? processes.sweep(folder) : undefined;
    case "stepTimer":
      return machine.armStepTimer(effect.ms);
    case "stopClocks":
      return limits.stop();
    case "handOn":
      return handOnLate(scope);
    case "settle":
      limits.stop();
      return settleRun(scope);
    case "startAgain":
      return attempt.beginAgain();
    case "quarantine":
      machine.disarmStepTimer();
      await writer.abandon();
      return quarantineFenced(context, agentId, record);
    case "suspend":
      machine.disarmStepTimer();
      if (context.isStopping()) return writer.release();
      return machine.apply({ type: "resume" });
  }
}

/** A `start` with what cortex knows of the run, where the agent doesn't say it. */
function completeStart({ plan, record }: RunScope, event: EventBody): EventBody {
  const { persona, backend, model } = plan;
  const known = { persona, backend: backend.name, model: model ?? null, prompt: record.request.prompt };
  const { event: name, attempt, folder: _, worktree: __, ...own } = event;
  const { folder, worktree } = plan;
  const where = { ...(folder !== undefined && { folder }), ...(worktree !== undefined && { worktree }) };
  return { event: name, ...known, ...own, attempt, ...where };
}
