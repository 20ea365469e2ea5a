/** The list of runs with its filters: read page by page as far as somebody has scrolled. */
import { signal } from "@preact/signals";
import { answered, type ApiRecord, client } from "../../api/client.ts";
import { isAlive } from "../../words/runs/run-states.ts";

type RunRow = ApiRecord<"RunRow">;

/** Where a run that isn't listed belongs: it is put first, or counted, or nowhere. */
export type PlaceOfRun = "first" | "counted" | "none";

/** The runs that are listed. `all` grows in place while it is read on; whatever else changes makes it anew. */
type Listed = { readonly all: readonly RunRow[] };

/** Runs as they were heard of last since a read was asked for: newer than its pages. Null: it was removed. */
type Heard = Map<string, { row: RunRow; otherwise: PlaceOfRun } | null>;

/** The most that the API gives at once. */
const pageSize = 200;

export class RunsStore {
  readonly runs = signal<Listed>({ all: [] });
  /** How many there are with these filters; null: that isn't known. */
  readonly total = signal<number | null>(null);
  readonly isAll = signal(false);
  readonly isReading = signal(false);
  readonly problem = signal<unknown>(null);
  /** The ids of runs that came since, and aren't listed. */
  readonly fresh = signal<ReadonlySet<string>>(new Set());

  readonly #query: Record<string, string>;
  readonly #closed = new AbortController();
  readonly #ids = new Set<string>();
  /** One for each read that is on its way. */
  readonly #heard = new Set<Heard>();
  #all: RunRow[] = [];
  #cursor: string | null = null;
  #wanted = 0;

  constructor(query: Record<string, string>) {
    this.#query = query;
  }

  close(): void {
    this.#closed.abort();
  }

  /** Reads on until so many are there, or all. */
  async readTo(count: number): Promise<void> {
    this.#wanted = Math.max(this.#wanted, count);
    if (this.isReading.value) return;
    this.isReading.value = true;
    try {
      while (!this.isAll.value && this.#all.length < this.#wanted && !this.#closed.signal.aborted)
        await this.#readPage();
      this.problem.value = null;
    } catch (error) {
      if (!this.#closed.signal.aborted) this.problem.value = error;
    } finally {
      this.isReading.value = false;
    }
  }

  async #readPage(): Promise<void> {
    await this.#reading(async (heard) => {
      const { items, next, total } = await this.#ask(this.#cursor);
      this.#all.push(...newest(this.#taken(items), heard));
      this.runs.value = { all: this.#all };
      this.#cursor = next;
      this.total.value = total;
      this.isAll.value = next === null;
      // Before the first page it wasn't known where one that isn't in it belongs.
      for (const news of heard.values()) if (news) this.#put(news.row, news.otherwise);
    });
  }

  async #reading(read: (heard: Heard) => Promise<void>): Promise<void> {
    const heard: Heard = new Map();
    this.#heard.add(heard);
    try {
      await read(heard);
    } finally {
      this.#heard.delete(heard);
    }
  }

  /** Reads the runs that came since, and puts them first. @throws ApiError, UnreachableError */
  async readFresh(): Promise<void> {
    this.fresh.value = new Set();
    const came: RunRow[] = [];
    await this.#reading(async (heard) => {
      for (let cursor: string | null = null, isKnown = false; !isKnown; ) {
        const { items, next, total } = await this.#ask(cursor);
        const fresh = this.#taken(items);
        came.push(...fresh);
        this.total.value = total;
        isKnown = fresh.length < items.length || next === null;
        cursor = next;
      }
      this.#list([...newest(came, heard), ...this.#all]);
    });
  }

  #list(all: RunRow[]): void {
    this.#all = all;
    this.runs.value = { all };
  }

  #ask(cursor: string | null) {
    const query = { ...this.#query, ...(cursor !== null && { cursor }), limit: pageSize };
    return answered(client.GET("/api/v1/runs", { params: { query }, signal: this.#closed.signal }));
  }

  /** Runs that weren't listed yet; they are from now on. */
  #taken(items: readonly RunRow[]): RunRow[] {
    const fresh = items.filter(({ id }) => !this.#ids.has(id));
    for (const { id } of fresh) this.#ids.add(id);
    // One that changed while it was asked for was counted.
    const uncounted = [...this.fresh.value].filter((id) => !this.#ids.has(id));
    if (uncounted.length < this.fresh.value.size) this.fresh.value = new Set(uncounted);
    return fresh;
  }

  /**
   * Reads again what the live stream may have lost a change of: the listed runs that were at work, and those that came
   * since. Nothing older is asked for.
   * @throws ApiError, UnreachableError
   */
  async catchUp(placeOf: (row: RunRow) => PlaceOfRun): Promise<void> {
    const atWork = this.#all.filter(({ state }) => isAlive(state));
    const oldest = atWork.at(-1) ?? this.#all[0];
    // Their pages are older than what is read here.
    const earlier = [...this.#heard];
    const rows: RunRow[] = [];
    let count: number | null = null;
    await this.#reading(async (heard) => {
      for (let cursor: string | null = null, isKnown = false; !isKnown; ) {
        const { items, next, total } = await this.#ask(cursor);
        rows.push(...items);
        count = total;
        isKnown = next === null || oldest === undefined || (items.at(-1)?.id ?? "") <= oldest.id;
        cursor = next;
      }
      const found = new Set(rows.map(({ id }) => id));
      // Removed meanwhile, or none of those that are asked for any more.
      for (const { id } of atWork) if (!found.has(id)) this.#remove(id);
      for (const row of newest(rows, heard).toReversed()) this.#hear(row, placeOf(row), earlier);
      this.total.value = count === null ? null : count - this.fresh.value.size;
    });
  }

  /**
   * A run has changed: it changes in place where it is listed.
   * @param otherwise what becomes of one that isn't
   */
  changed(row: RunRow, otherwise: PlaceOfRun): void {
    this.#hear(row, otherwise, this.#heard);
  }

  #hear(row: RunRow, otherwise: PlaceOfRun, reads: Iterable<Heard>): void {
    for (const heard of reads) heard.set(row.id, { row, otherwise });
    this.#put(row, otherwise);
  }

  #put(row: RunRow, otherwise: PlaceOfRun): void {
    if (this.#ids.has(row.id)) {
      const at = this.#all.findIndex(({ id }) => id === row.id);
      // It isn't there yet where it was read, and its page is on its way.
      if (at !== -1) this.#list(this.#all.with(at, row));
      return;
    }
    const [first] = this.#all;
    // Before the first page is here, it may belong anywhere: it is put in its place behind it.
    const isOlder = first === undefined ? !this.isAll.value : row.requested_at < first.requested_at;
    if (otherwise === "none" || isOlder) return;
    if (otherwise === "counted") {
      this.fresh.value = new Set([...this.fresh.value, row.id]);
      return;
    }
    this.#ids.add(row.id);
    this.#list([row, ...this.#all]);
    if (this.total.value !== null) this.total.value++;
  }

  removed(id: string): void {
    for (const heard of this.#heard) heard.set(id, null);
    this.#remove(id);
  }

  #remove(id: string): void {
    if (this.fresh.value.has(id)) this.fresh.value = new Set([...this.fresh.value].filter((one) => one !== id));
    if (!this.#ids.delete(id)) return;
    this.#list(this.#all.filter((run) => run.id !== id));
  }
}

/** Rows of a page, with what was heard since it was asked for. */
const newest = (rows: readonly RunRow[], heard: Heard): RunRow[] =>
  rows.flatMap((row) => {
    const news = heard.get(row.id);
    return news === null ? [] : [news?.row ?? row];
  });
