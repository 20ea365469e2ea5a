/** The schedule: who runs when and how it went, kept up while it is shown. */
import { signal } from "@preact/signals";
import { answered, type ApiRecord, client } from "../../api/client.ts";
import { ReadOrder } from "../../api/read-order.ts";
import { listening, onMachineEvent } from "../../live/machine-events.ts";

export type ScheduleRow = ApiRecord<"ScheduleRow">;
export type HistoryRow = ApiRecord<"ScheduledRun">;
export type Facet = Pick<ApiRecord<"Facet">, "name" | "title" | "color">;

type Cell = {
  persona: string;
  upcoming: number;
  done: number;
  failed: number;
  skipped: number;
  missed: number;
  late: number;
  running: number;
};
export type Month = { month: string; days: readonly { day: string; cells: readonly Cell[] }[] };

export type Person = { name: string; title: string | null; schedule: string | null; problem: string | null };

/** Several things may change at once: they are read again together. In ms. */
const settleMs = 150;

/** The most that the API gives. */
const mostRows = 500;

export class ScheduleStore {
  /** Null: not read yet. */
  readonly rows = signal<readonly ScheduleRow[] | null>(null);
  readonly timeZone = signal("UTC");
  readonly month = signal<Month | null>(null);
  /** Newest first, by persona. */
  readonly history = signal<ReadonlyMap<string, readonly HistoryRow[]>>(new Map());
  readonly people = signal<readonly Person[]>([]);
  readonly facets = signal<ReadonlyMap<string, Facet>>(new Map());
  readonly problem = signal<unknown>(null);
  /** The history can't be told now: the bus is away. */
  readonly historyProblem = signal<unknown>(null);

  readonly #closed = new AbortController();
  readonly #ends: (() => void)[] = [];
  readonly #order = new ReadOrder();
  readonly #historyOrder = new ReadOrder();
  #month: string | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(month: string | undefined) {
    this.#month = month;
  }

  open(): void {
    this.#ends.push(
      onMachineEvent("schedule.changed", () => this.#readSoon()),
      onMachineEvent("run.changed", ({ schedule }) => schedule !== null && this.#readSoon()),
      onMachineEvent("reset", () => this.#readSoon()),
    );
    void listening().then(() => this.read());
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#closed.abort();
    for (const end of this.#ends) end();
  }

  /** Another month; undefined: this one. */
  async showMonth(month: string | undefined): Promise<void> {
    if (month === this.#month) return;
    this.#month = month;
    await this.read();
  }

  #readSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.read();
    }, settleMs);
  }

  async read(): Promise<void> {
    const { signal: ended } = this.#closed;
    const asked = this.#month;
    const query = asked === undefined ? {} : { month: asked };
    const isNews = this.#order.ask();
    try {
      const [list, month, people, facets] = await Promise.all([
        answered(client.GET("/api/v1/schedules", { signal: ended })),
        answered(client.GET("/api/v1/schedule/month", { params: { query }, signal: ended })),
        answered(client.GET("/api/v1/personas", { signal: ended })),
        answered(client.GET("/api/v1/journal/facets", { signal: ended })),
      ]);
      if (asked !== this.#month || !isNews()) return;
      this.rows.value = list.items;
      this.timeZone.value = list.time_zone;
      this.month.value = month;
      this.people.value = people.items;
      this.facets.value = new Map(facets.items.map((facet) => [facet.name, facet]));
      this.problem.value = null;
    } catch (error) {
      if (!ended.aborted && asked === this.#month && isNews()) this.problem.value = error;
      return;
    }
    await this.#readHistory(ended);
  }

  /**
   * Reads the history of schedules with facets one by one: of one persona alone, a month may have more rows than are
   * told at once.
   */
  async #readHistory(ended: AbortSignal): Promise<void> {
    const isNews = this.#historyOrder.ask();
    const rows = this.rows.value ?? [];
    const many = rows.filter(({ facets }) => facets !== "no").map(({ persona }) => persona);
    const readOf = async (persona?: string) => {
      const query = { limit: mostRows, ...(persona !== undefined && { persona }) };
      return (await answered(client.GET("/api/v1/schedule/history", { params: { query }, signal: ended }))).items;
    };
    try {
      const [all, ...each] = await Promise.all([readOf(), ...many.map((persona) => readOf(persona))]);
      if (!isNews()) return;
      const history = new Map<string, readonly HistoryRow[]>();
      for (const { persona } of rows)
        history.set(
          persona,
          all.filter((row) => row.persona === persona),
        );
      many.forEach((persona, index) => history.set(persona, each[index] ?? []));
      this.history.value = history;
      this.historyProblem.value = null;
    } catch (error) {
      if (!ended.aborted && isNews()) this.historyProblem.value = error;
    }
  }
}
