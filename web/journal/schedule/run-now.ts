/** A scheduled persona's run when somebody asks for it, through the same queues and the same ledger. */
import { setTimeout as delay } from "node:timers/promises";
import { loadPersonas } from "../../../personas/load.ts";
import { dayOf } from "../../../protocol/names/day.ts";
import { addDays } from "../../../schedule/calendar/local-time.ts";
import { checkAskedDay, namedSchedule, ofFacet } from "../../../schedule/units/asked-run.ts";
import { type RanDay, runDay } from "../../../schedule/units/run-day.ts";
import { WorkspaceError } from "../../../workspace/records/workspace-error.ts";
import type { Machine } from "../../machine/machine.ts";
import { openLedger } from "./schedules.ts";

/** Milliseconds for which whoever asks waits to hear of the first run: it may have to wait its turn behind another. */
const tellWithinMs = 5000;

export type AskedDay = { day?: string | undefined; facet?: string | undefined; force: boolean };

/**
 * Starts it. The runs go on when this program ends: the one in hand stands in the ledger.
 * @throws ScheduleRefusal, UnavailableError; WorkspaceError `conflict` when all was done before
 */
export async function runNow(machine: Machine, persona: string, asked: AskedDay) {
  const { journal, timeZone, log } = machine;
  const loaded = loadPersonas(journal);
  const scheduled = namedSchedule(persona, loaded);
  const today = dayOf(Date.now(), timeZone);
  const day = checkAskedDay(asked.day ?? (scheduled.cron ? today : addDays(today, -1)), timeZone);
  const { facet, force } = asked;
  const chosen = facet === undefined ? [scheduled] : ofFacet(journal, facet, [scheduled]);
  const open = await openLedger(machine);
  const { promise: run, resolve: tellRun } = Promise.withResolvers<string>();
  const ran = closing(open, () =>
    runDay({
      day,
      scheduled: chosen,
      facet,
      force,
      journal,
      bus: open.bus,
      ledger: open.ledger,
      settings: machine.settings(),
      persona: (name) => loaded.personas.get(name),
      onNobody: () => log.warn({ persona, day }, "no cortex takes requests"),
      onWork: ({ unit, request }, { state }) => {
        if (unit.persona === persona && unit.day === day && state === "running") tellRun(String(request.ts));
      },
      signal: new AbortController().signal,
    }),
  );
  ran.catch((error: unknown) => log.warn({ err: error, persona, day }, "a scheduled run that was asked for failed"));
  const stop = new AbortController();
  const late = delay(tellWithinMs, null, { signal: stop.signal }).catch(() => null);
  const first = await Promise.race([run, ran, late]).finally(() => stop.abort());
  if (first === null || typeof first === "string") return { persona, day, run: first };
  return { persona, day, run: await startedOf(first, day) };
}

/** Closes what the work has used when it has ended. */
async function closing<T>(used: AsyncDisposable, work: () => Promise<T>): Promise<T> {
  await using _used = used;
  return await work();
}

/** All has ended before anybody could tell: what ran, or why nothing did. */
async function startedOf({ units, skipped }: RanDay, day: string): Promise<string> {
  const started = units.find(({ ran }) => ran);
  if (started) return started.record.agent_id;
  const [before] = units;
  const why = before
    ? `it was done before, run ${before.record.agent_id}`
    : (skipped[0]?.reason ?? "there is nothing to do");
  throw new WorkspaceError("conflict", `nothing ran for ${day}: ${why}`, before ? "ask with force" : undefined);
}
