/** One run as it is looked at: its record, and its steps as they come. */
import { signal } from "@preact/signals";
import { answered, type ApiRecord, client } from "../../api/client.ts";
import { EventStream, type StreamEvent } from "../../live/event-stream.ts";
import { onMachineEvent } from "../../live/machine-events.ts";
import { RunSteps } from "../../trajectory/run-steps.ts";
import type { RunEvent } from "../../trajectory/step.ts";

export type Run = ApiRecord<"Run">;

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

  constructor(id: string) {
    this.id = id;
  }

  /** Reads the record, and listens to the run's file from its first line. */
  open(): void {
    void this.read();
    const ends = [
      onMachineEvent("run.changed", (row) => {
        const { value } = this.run;
        if (row.id === this.id && value !== null) this.run.value = { ...value, ...row };
      }),
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

  async read(): Promise<void> {
    try {
      this.run.value = await answered(client.GET("/api/v1/runs/{id}", { params: { path: { id: this.id } } }));
      this.problem.value = null;
    } catch (error) {
      this.problem.value = error;
    }
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
