/**
 * The queries of the first view: the runs that ended lately, by how they ended, and what they cost. No file is read.
 */
import type { DatabaseSync } from "node:sqlite";
import { rowOf } from "./run-index-database.ts";
import type { RunRow } from "./run-row.ts";

/** Later runs that are looked at, of a chain: a longer one is no answer any more. */
const mostLater = 200;

/** Runs of a schedule that have ended since a moment. */
export type EndedOfSchedule = { schedule: string; runs: number; failed: number; cost_usd: number; ended_at: number };

export class RecentRuns {
  readonly #statements;

  constructor(database: DatabaseSync) {
    const prepare = (sql: string) => database.prepare(sql);
    this.#statements = {
      failed: prepare(
        "SELECT row FROM runs WHERE state = 'failed' AND ended >= ? AND ended IS NOT NULL ORDER BY ended DESC LIMIT ?",
      ),
      // Both ways of going on, and all that goes on from there.
      isMended: prepare(
        `WITH RECURSIVE later (id) AS (
           SELECT ?1
           UNION SELECT runs.id FROM runs JOIN later ON runs.again_of = later.id
           UNION SELECT runs.id FROM runs JOIN later ON runs.continue_from = later.id
           LIMIT ${mostLater}
         )
         SELECT 1 FROM later JOIN runs ON runs.id = later.id WHERE runs.state = 'finished' LIMIT 1`,
      ),
      isMendedBySchedule: prepare("SELECT 1 FROM runs WHERE unit = ? AND id > ? AND state = 'finished' LIMIT 1"),
      isMendedByAgent: prepare("SELECT 1 FROM runs WHERE agent = ? AND id > ? AND state = 'finished' LIMIT 1"),
      done: prepare(
        `SELECT row FROM runs WHERE ended >= ? AND state IN ('finished', 'cancelled') AND schedule IS NULL
         ORDER BY ended DESC LIMIT ?`,
      ),
      ofSchedule: prepare(
        `SELECT row FROM runs WHERE ended >= ? AND state IN ('finished', 'failed', 'cancelled') AND schedule = ?
         ORDER BY ended DESC LIMIT ?`,
      ),
      schedules: prepare(
        `SELECT schedule, count(*) AS runs, sum(state = 'failed') AS failed, sum(state = 'finished') AS finished,
           total(cost) AS cost_usd, max(ended) AS ended_at
         FROM runs WHERE ended >= ? AND schedule IS NOT NULL GROUP BY schedule ORDER BY ended_at DESC LIMIT ?`,
      ),
      sums: prepare(
        `SELECT count(*) AS runs, total(state IN ('finished', 'cancelled')) AS done, total(cost) AS cost_usd,
           max(is_estimate) AS is_estimate
         FROM runs WHERE ended >= ?`,
      ),
    };
  }

  /** Lists the runs that have failed since a moment, newest first. */
  failed(since: number, limit: number): RunRow[] {
    return this.#statements.failed.all(since, limit).map(({ row }) => rowOf(row));
  }

  /** Whether what failed was done well since: run again, continued, tried again by its schedule, gone on from by its agent. */
  isMended({ id, schedule, agent, prompt }: RunRow): boolean {
    const { isMended, isMendedBySchedule, isMendedByAgent } = this.#statements;
    const number = Number(id);
    if (isMended.get(number)) return true;
    if (agent !== null) return isMendedByAgent.get(agent, number) !== undefined;
    return schedule !== null && isMendedBySchedule.get(`${schedule} ${prompt}`, number) !== undefined;
  }

  /** Lists the runs without a schedule that were done, or stopped, since a moment; newest first. */
  done(since: number, limit: number): RunRow[] {
    return this.#statements.done.all(since, limit).map(({ row }) => rowOf(row));
  }

  /** The schedules of which a run was done since a moment, newest first. */
  schedules(since: number, limit: number): EndedOfSchedule[] {
    return this.#statements.schedules
      .all(since, limit)
      .filter(({ finished }) => Number(finished) > 0)
      .map(({ schedule, runs, failed, cost_usd, ended_at }) => ({
        schedule: String(schedule),
        runs: Number(runs),
        failed: Number(failed),
        cost_usd: Number(cost_usd),
        ended_at: Number(ended_at),
      }));
  }

  /** Runs of a schedule that ended since a moment, newest first. */
  ofSchedule(schedule: string, since: number, limit: number): RunRow[] {
    return this.#statements.ofSchedule.all(since, schedule, limit).map(({ row }) => rowOf(row));
  }

  /** All that ended since a moment, added up. */
  sums(since: number): { runs: number; done: number; cost_usd: number; is_estimate: boolean } {
    const found = this.#statements.sums.get(since) ?? {};
    return {
      runs: Number(found["runs"] ?? 0),
      done: Number(found["done"] ?? 0),
      cost_usd: Number(found["cost_usd"] ?? 0),
      is_estimate: found["is_estimate"] === 1,
    };
  }
}
