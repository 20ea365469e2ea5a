/**
 * The news that is worth telling somebody who isn't looking, as it happens: where each kind is known, and what is told
 * of it.
 */
import type { WorkspaceStore } from "../../../workspace/database/changes/store.ts";
import { ScheduleLedger } from "../../../bus/schedule/schedule-ledger.ts";
import { messageOf } from "../../../files/errors/error-message.ts";
import { dailyQueue } from "../../../schedule/units/queue-names.ts";
import { dayOf } from "../../../protocol/names/day.ts";
import { busAs } from "../base/bus-as.ts";
import type { MachineBase } from "../base/machine-base.ts";
import { limitsToday } from "../costs/get-cost.ts";
import type { LiveDecisions } from "../decisions/live-decisions.ts";
import type { Decision } from "../records/decision-records.ts";
import type { RunRow } from "../records/run-records.ts";
import type { LiveRuns } from "../runs/live-runs.ts";
import type { News } from "./push-queue.ts";

/** Runs end by the dozen: limits, and whether the scheduled runs are over, are looked at so long after the last, in ms. */
const settleMs = 3000;
/** Failures while nobody was here are told for so long, in ms, and so many. */
const [missedMs, mostMissed] = [86_400_000, 20];

export type NewsDeps = MachineBase & { store: WorkspaceStore; runs: LiveRuns; decisions: LiveDecisions };

/** Tells of what happens from now on, and of what has happened while nobody was here: the same again is no news to whoever keeps it. */
export function listenForNews(deps: NewsDeps, tell: (news: News) => void): Disposable {
  const { runs, decisions, log, journal } = deps;
  const listening = new DisposableStack();
  const settled = new SettledRuns(deps, tell);
  listening.use(settled);
  listening.use(decisions.listen((decision) => decision.status === "open" && tell(newsOfDecision(decision))));
  listening.use(
    runs.listen((change) => {
      if ("removed" in change || change.row.ended_at === null) return;
      if (change.row.state === "failed") tell(newsOfFailure(change.row));
      settled.ended(change.row);
    }),
  );
  const tellFailures = () => {
    for (const row of runs.recent.failed(Date.now() - missedMs, mostMissed)) tell(newsOfFailure(row));
  };
  // Reading all runs for the first time may take long: a run that ends meanwhile is no news to whoever listens.
  listening.use(runs.onAllRead(tellFailures));
  const missed = async () => {
    for (const decision of await decisions.list()) tell(newsOfDecision(decision));
    // Brings the index up to date.
    await runs.working();
    tellFailures();
  };
  missed().catch((error: unknown) => log.warn({ journal, error: messageOf(error) }, "what was missed isn't told"));
  return listening;
}

const newsOfDecision = ({ id, asked_at }: Decision): News => ({
  name: `decision:${id}`,
  kind: "decision",
  leadsTo: "/",
  at: Date.parse(asked_at),
});

const newsOfFailure = ({ id, ended_at }: RunRow): News => ({
  name: `run:${id}`,
  kind: "failed",
  leadsTo: `/runs/${id}`,
  at: Date.parse(ended_at ?? ""),
});

/** The runs that are looked at when they have ended. */
class SettledRuns implements Disposable {
  readonly #deps: NewsDeps;
  readonly #tellNews: (news: News) => void;
  #timer: NodeJS.Timeout | null = null;
  #isOfSchedule = false;

  constructor(deps: NewsDeps, tell: (news: News) => void) {
    this.#deps = deps;
    this.#tellNews = tell;
  }

  ended({ schedule }: RunRow): void {
    this.#isOfSchedule ||= schedule !== null;
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#checkLimits().catch((error: unknown) =>
        this.#deps.log.warn({ error: messageOf(error) }, "limits and scheduled runs can't be looked at for push"),
      );
    }, settleMs).unref();
  }

  [Symbol.dispose](): void {
    if (this.#timer) clearTimeout(this.#timer);
  }

  async #checkLimits(): Promise<void> {
    const { timeZone, store, log } = this.#deps;
    const onProblem = (path: string, error: unknown) =>
      log.warn({ path, error: messageOf(error) }, "a run's file can't be read: limits lack it");
    const now = Date.now();
    for (const { scope, name, state } of await limitsToday(this.#deps, store, onProblem))
      if (state !== "far") {
        const what = [scope, name ?? "", dayOf(now, timeZone)].join(":");
        this.#tellNews({ name: `budget:${what}`, kind: "budget", leadsTo: "/cost", at: now });
      }
    if (!this.#isOfSchedule) return;
    this.#isOfSchedule = false;
    const day = await this.#nightOver().catch((error: unknown) => {
      // Looked for again with the next run that ends.
      this.#isOfSchedule = true;
      throw error;
    });
    if (day !== null) this.#tellNews({ name: `night:${day}`, kind: "night", leadsTo: "/schedule", at: now });
  }

  /** The day of whose runs none is left to do; null: some are, or there were none. */
  async #nightOver(): Promise<string | null> {
    await using open = await busAs(this.#deps, "schedule");
    const ledger = await ScheduleLedger.open(open.bus);
    // The end of what is in hand is heard.
    if ((await ledger.queue(dailyQueue)).value !== null) return null;
    const [newest] = (await ledger.known()).filter(({ time }) => time === dailyQueue);
    return newest?.day ?? null;
  }
}
