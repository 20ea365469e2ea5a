/** The list of runs with its filters: read page by page as far as somebody has scrolled. */
import { signal } from "@preact/signals";
import { answered, type ApiRecord, client } from "../api/client.ts";

type RunRow = ApiRecord<"RunRow">;

/** The most that the API gives at once. */
const pageSize = 200;

export class RunsStore {
  readonly runs = signal<readonly RunRow[]>([]);
  /** How many there are with these filters; null: that isn't known. */
  readonly total = signal<number | null>(null);
  readonly isAll = signal(false);
  readonly isReading = signal(false);
  readonly problem = signal<unknown>(null);
  /** Runs that came since, and aren't listed. */
  readonly fresh = signal(0);

  readonly #query: Record<string, string>;
  readonly #closed = new AbortController();
  readonly #ids = new Set<string>();
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
      while (!this.isAll.value && this.runs.value.length < this.#wanted && !this.#closed.signal.aborted)
        await this.#readPage();
      this.problem.value = null;
    } catch (error) {
      if (!this.#closed.signal.aborted) this.problem.value = error;
    } finally {
      this.isReading.value = false;
    }
  }

  async #readPage(): Promise<void> {
    const cursor = this.#cursor === null ? {} : { cursor: this.#cursor };
    const query = { ...this.#query, ...cursor, limit: pageSize };
    const { items, next, total } = await answered(
      client.GET("/api/v1/runs", { params: { query }, signal: this.#closed.signal }),
    );
    const fresh = items.filter(({ id }) => !this.#ids.has(id));
    for (const { id } of fresh) this.#ids.add(id);
    this.runs.value = [...this.runs.value, ...fresh];
    this.#cursor = next;
    this.total.value = total;
    this.isAll.value = next === null;
  }

  /** A run has changed: it changes in place. One that isn't listed is counted, or put first where it belongs there. */
  changed(row: RunRow, mayAdd: boolean): void {
    if (this.#ids.has(row.id)) {
      const at = this.runs.value.findIndex(({ id }) => id === row.id);
      this.runs.value = this.runs.value.with(at, row);
      return;
    }
    const [first] = this.runs.value;
    if (first !== undefined && row.requested_at < first.requested_at) return;
    if (mayAdd) {
      this.#ids.add(row.id);
      this.runs.value = [row, ...this.runs.value];
    } else this.fresh.value++;
    if (mayAdd && this.total.value !== null) this.total.value++;
  }

  removed(id: string): void {
    if (!this.#ids.delete(id)) return;
    this.runs.value = this.runs.value.filter((run) => run.id !== id);
  }
}
