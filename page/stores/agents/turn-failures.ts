/** The turns of a long-lived agent that failed, as far back as its history is read. */
import { answered, type ApiRecord, client } from "../../api/client.ts";
import type { TurnFailure } from "../../talk/talk-entry.ts";

type FailedRun = Pick<ApiRecord<"RunRow">, "id" | "state" | "reason" | "error" | "requested_at" | "ended_at">;
type FailedPage = { items: FailedRun[]; next: string | null };

const pageSize = 50;

const readPage = (agent: string, cursor: string | null): Promise<FailedPage> => {
  const query = { agent, state: "failed", limit: pageSize, ...(cursor !== null && { cursor }) };
  return answered(client.GET("/api/v1/runs", { params: { query } }));
};

export class TurnFailures {
  readonly #agent: string;
  readonly #page: typeof readPage;
  readonly #known = new Map<string, TurnFailure>();
  /** Where older ones are. Null: nowhere; undefined: nothing was read yet. */
  #older: string | null | undefined;

  /** @param page reads a page of failed runs, newest first */
  constructor(agent: string, page: typeof readPage = readPage) {
    this.#agent = agent;
    this.#page = page;
  }

  /** The failures that are known, oldest first. */
  get all(): TurnFailure[] {
    return [...this.#known.values()].toSorted((a, b) => Number(a.run) - Number(b.run));
  }

  /** Reads those that have come, and at first those since a time, in ms. @throws ApiError, UnreachableError */
  async readNew(since: number): Promise<void> {
    let cursor: string | null = null;
    do {
      const { items, next } = await this.#page(this.#agent, cursor);
      const isJoined = items.some(({ id }) => this.#known.has(id));
      for (const run of items) this.take(run);
      if (this.#older !== undefined && isJoined) return;
      cursor = next;
    } while (cursor !== null && Number(cursor) > since);
    this.#older = cursor;
  }

  /** Reads back to a time, in ms. @throws ApiError, UnreachableError */
  async readBack(since: number): Promise<void> {
    while (this.#older && Number(this.#older) > since) {
      const { items, next } = await this.#page(this.#agent, this.#older);
      for (const run of items) this.take(run);
      this.#older = next;
    }
  }

  /** Takes a turn as it is by now. @returns whether anything has changed */
  take({ id: run, state, reason, error, requested_at, ended_at }: FailedRun): boolean {
    if (state !== "failed") return this.#known.delete(run);
    if (this.#known.has(run)) return false;
    this.#known.set(run, { run, ts: Date.parse(ended_at ?? requested_at), reason, error });
    return true;
  }
}
