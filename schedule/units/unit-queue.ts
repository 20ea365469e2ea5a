/**
 * A serial queue of units: one runs after the other, however many schedulers work on it, and whenever each of them dies.
 *
 * The unit in hand stands in the ledger as a whole: unit, request, the run's id. Every scheduler runs it to its end, which is the
 * same as one doing so: the unit's record is made once, the request has one id, and who comes late finds it done. The
 * queue is laid down when the record says how it ended, and only an empty queue takes the next unit, by compare-and-set:
 * what was read between reading it empty and taking it can't have changed.
 */
import type { ScheduleStore } from "../../bus/schedule/schedule-ledger.ts";
import type { Unit, UnitRecord, Work } from "../../protocol/programs/schedule.ts";

/** How a unit's run ended; or its id was taken, and it needs another. */
export type UnitOutcome = { state: "done" } | { state: "failed"; reason: string } | { state: "taken"; ts: number };

export type QueueDeps = {
  ledger: ScheduleStore;
  /** Asks for the work's run, and waits for its end. */
  runWork: (work: Work) => Promise<UnitOutcome>;
  /** The next unit of a queue that is empty, or null. It reads the ledger anew. */
  next: () => Promise<Work | null>;
  now: () => number;
  /** Called when a unit was taken in hand, and when one has ended. */
  onWork?: (work: Work, record: UnitRecord) => void;
};

/** Works on a queue until nothing is due. */
export async function workQueue(queue: string, parts: QueueDeps): Promise<void> {
  const { ledger, next } = parts;
  for (;;) {
    const { value: held, revision } = await ledger.queue(queue);
    if (held) {
      const kept = await runToEnd(held, parts);
      await ledger.setQueue(queue, kept, revision);
      continue;
    }
    const work = await next();
    if (!work) return;
    await ledger.setQueue(queue, work, revision);
  }
}

/** Returns what the queue has in hand afterwards: nothing, or the same under another id. */
async function runToEnd(work: Work, { ledger, runWork, now, onWork }: QueueDeps): Promise<Work | null> {
  const record = await admit(work, ledger, now());
  if (!record || record.state !== "running") return null;
  onWork?.(work, record);
  const outcome = await runWork(work);
  if (outcome.state === "taken") return { ...work, request: { ...work.request, ts: outcome.ts } };
  const ended = await end(work, outcome, ledger, now());
  if (ended) onWork?.(work, ended);
  return null;
}

/** Makes the unit's record say that this attempt is under way. Null: it was changed meanwhile. */
async function admit({ unit, attempt, request }: Work, ledger: ScheduleStore, now: number): Promise<UnitRecord | null> {
  const agent_id = String(request.ts);
  for (;;) {
    const { value: known, revision } = await ledger.record(unit);
    const attempts = known?.attempts ?? 0;
    // Ids rise: a lower one is that of someone who has fallen behind.
    const isCurrent = attempts === attempt && known !== null && known.agent_id >= agent_id;
    if (isCurrent) return known.agent_id === agent_id ? known : null;
    const isNext = attempts === attempt - 1 && known?.state !== "running";
    const isRenamed = attempts === attempt && known?.state === "running";
    if (!isNext && !isRenamed) return null;
    const record: UnitRecord = { state: "running", attempts: attempt, agent_id, started: now };
    if (await ledger.setRecord(unit, record, revision)) return record;
  }
}

async function end(
  { unit, request }: Work,
  outcome: Exclude<UnitOutcome, { state: "taken" }>,
  ledger: ScheduleStore,
  now: number,
): Promise<UnitRecord | null> {
  for (;;) {
    const { value: known, revision } = await ledger.record(unit);
    if (known?.agent_id !== String(request.ts) || known.state !== "running") return null;
    const record: UnitRecord = { ...known, ...outcome, ended: now };
    if (await ledger.setRecord(unit, record, revision)) return record;
  }
}

/** The name of a unit, for people. */
export const unitName = ({ day, time, persona, facet }: Unit) =>
  `${day}${time === "night" ? "" : ` ${time}`} ${persona}${facet === null ? "" : ` ${facet}`}`;
