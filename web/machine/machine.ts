/**
 * The means of the web program on its machine: the journal, the bus and the settings, for operations that are the
 * owner's.
 */
import type { MachineBase } from "./base/machine-base.ts";
import { LiveDecisions } from "./decisions/live-decisions.ts";
import { listenToMachine } from "./events/listen-to-machine.ts";
import { MachineEvents } from "./events/machine-events.ts";
import { MachineHealth } from "./health/machine-health.ts";
import { NowView } from "./now/now.ts";
import { Push } from "./push/push.ts";
import { LiveRuns } from "./runs/live-runs.ts";

export { UnavailableError } from "./base/machine-base.ts";

export type Machine = MachineBase & {
  runs: LiveRuns;
  decisions: LiveDecisions;
  health: MachineHealth;
  events: MachineEvents;
  now: NowView;
  /** Null: there are no sessions. */
  push: Push | null;
};

/** Nothing is read before somebody asks. */
export function openMachine(base: MachineBase): Machine & AsyncDisposable {
  const runs = new LiveRuns(base);
  const decisions = new LiveDecisions({ ...base, runs });
  const health = new MachineHealth({ ...base, runs });
  const events = new MachineEvents((tell) => listenToMachine({ ...base, runs, decisions, health }, tell));
  const now = new NowView({ ...base, runs, decisions, health, events });
  const push = base.store && new Push({ ...base, store: base.store, runs, decisions });
  return {
    ...base,
    runs,
    decisions,
    health,
    events,
    now,
    push,
    [Symbol.asyncDispose]: async () => {
      await push?.[Symbol.asyncDispose]();
      events[Symbol.dispose]();
      decisions[Symbol.dispose]();
      await runs[Symbol.asyncDispose]();
    },
  };
}
