/** One run as it is looked at: its record, and its steps as they come. */
import { signal } from "@preact/signals";
import { answered, type ApiRecord, client } from "../../api/client.ts";
import { EventStream, type StreamEvent } from "../../live/event-stream.ts";
import { onMachineEvent } from "../../live/machine-events.ts";
import { RunSteps } from "../../trajectory/run-steps.ts";
import type { RunEvent } from "../../trajectory/step.ts";

export type Run = ApiRecord<"Run">;
type RunRow = ApiRecord<"RunRow">;

/** Steps from which on a run is shown at most so often, in ms: it takes a while to be made anew. */
const manySteps = 2000;
const calmMs = 300;
const frameMs = 16;

export class RunStore {
  readonly id: string;
  readonly run = signal<Run | null>(null);
  readonly problem = signal<unknown>(null);
  /** Grows with every change of `steps`, at most once a frame; of a very long run less often. */
  readonly version = signal(0);
  /** The connection broke: what is shown is of before. */
  readonly isCutOff = signal(false);
  steps = new RunSteps();

  #stream: EventStream | null = null;
  #heard: (() => void) | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #reads = 0;
  /** The run as it was heard of since its record was asked for: that may be older. */
  #news: RunRow | null = null;

  constructor(id: string) {
    this.id = id;
  }

  /** Reads the record, and listens to the run's file from its first line. */
  open(): void {
    void this.read();
    const ends = [
      onMachineEvent("run.changed", (row) => row.id === this.id && this.#runChanged(row)),
      onMachineEvent("reset", () => void this.read()),
    ];
    this.#heard = () => ends.forEach((end) => end());
    this.#listen();
  }

  close(): void {
    this.#stream?.[Symbol.dispose]();
    this.#heard?.();
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  /** Reads the record. Of several reads the one that was asked for last counts, with what was heard since. */
  async read(): Promise<void> {
    const read = ++this.#reads;
    this.#news = null;
    try {
      const run = await answered(client.GET("/api/v1/runs/{id}", { params: { path: { id: this.id } } }));
      if (read !== this.#reads) return;
      this.run.value = this.#withNews(run);
      this.problem.value = null;
    } catch (error) {
      if (read === this.#reads) this.problem.value = error;
    }
  }

  #withNews(run: Run): Run {
    return { ...run, ...this.#news };
  }

  #runChanged(row: RunRow): void {
    this.#news = row;
    if (this.run.value !== null) this.run.value = { ...this.run.value, ...row };
  }

  #listen(): void {
    this.#stream = new EventStream({
      path: `/api/v1/runs/${encodeURIComponent(this.id)}/live`,
      onEvents: (events) => this.#takeEvents(events),
      onState: (state) => {
        this.isCutOff.value = state.kind === "cut off";
      },
      onGap: () => {},
    });
  }

  #takeEvents(events: StreamEvent[]): void {
    for (const { event, data } of events) {
      if (event === "line") this.steps.add(data as RunEvent);
      else if (event === "piece") this.steps.addLive(data as RunEvent);
      else if (event === "end") this.#end();
    }
    this.#changed();
  }

  /** Nothing is written to the file any more. */
  #end(): void {
    this.#stream?.[Symbol.dispose]();
    void this.read();
  }

  #changed(): void {
    this.#timer ??= setTimeout(
      () => {
        this.#timer = null;
        this.version.value++;
      },
      this.steps.steps.length > manySteps ? calmMs : frameMs,
    );
  }
}
