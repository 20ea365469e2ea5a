/** Runs that wait for a place, until their files tell of them: those that cortex tells of, and those that were asked for here and it hasn't come to. */
import type { RunQuery } from "../../../journal/run-index/run-query.ts";
import type { RunRow } from "../../../journal/run-index/run-row.ts";
import { runState } from "../../../journal/runs/run-files.ts";
import { livingStatus, queuedRows } from "./liveness.ts";

/** Milliseconds after which a request that is nowhere was refused, or is another host's. */
const forgottenMs = 600_000;
/** Between its place in the queue and its file a run is nowhere, in ms. */
const beginsWithinMs = 3000;

/** @field until when it counts as waiting where nobody tells of it any more, in ms */
type WaitingRun = { row: RunRow; until: number };

export class WaitingRuns {
  readonly #journal: string;
  readonly #isRead: (id: string) => boolean;
  readonly #known = new Map<string, WaitingRun>();

  /** @param isRead whether something is known of a run from its file: its first line comes a moment after the file */
  constructor(journal: string, isRead: (id: string) => boolean) {
    this.#journal = journal;
    this.#isRead = isRead;
  }

  /** A run was asked for: it waits from now on, whenever cortex comes to it. */
  asked(row: RunRow): void {
    this.#known.set(row.id, { row, until: Date.now() + forgottenMs });
  }

  /** All of them, newest first. */
  rows(live = livingStatus(this.#journal)): RunRow[] {
    const now = Date.now();
    for (const row of queuedRows(this.#journal, live)) this.#known.set(row.id, { row, until: now + beginsWithinMs });
    for (const [id, { until }] of this.#known)
      if (now > until || (runState(this.#journal, id) !== "absent" && this.#isRead(id))) this.#known.delete(id);
    return [...this.#known.values()].map(({ row }) => row).toSorted((a, b) => (a.id < b.id ? 1 : -1));
  }

  /** Lists the runs that match a query, newest first, wherever one goes on from. */
  matching({ states, persona, agent, backend, model, schedule, from, to, text }: RunQuery): RunRow[] {
    if (agent !== undefined || model !== undefined || schedule !== undefined) return [];
    if (states && !states.includes("queued")) return [];
    const words = (text ?? "").toLowerCase().split(/\s+/);
    return this.rows().filter(
      (row) =>
        (persona ?? row.persona) === row.persona &&
        (backend ?? row.backend) === row.backend &&
        Number(row.id) >= (from ?? 0) &&
        Number(row.id) < (to ?? Number.POSITIVE_INFINITY) &&
        words.every((word) => row.prompt.toLowerCase().includes(word)),
    );
  }
}
