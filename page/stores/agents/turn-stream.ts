/** The turn of a long-lived agent that goes on, line by line: what it has recorded, what it does, and what it says at this moment. */
import { type Signal, signal } from "@preact/signals";
import { EventStream, type StreamEvent } from "../../live/event-stream.ts";
import { recordOfLine, recordOfUnfinished, type TalkRecord } from "../../talk/talk-record.ts";
import { RunSteps } from "../../trajectory/run-steps.ts";
import type { RunEvent } from "../../trajectory/step.ts";
import { UnfinishedText } from "../../trajectory/unfinished-text.ts";

export class TurnStream implements Disposable {
  readonly run: string;
  readonly steps = new RunSteps();
  /** Grows with every change of `steps`. */
  readonly version: Signal<number> = signal(0);
  readonly #stream: EventStream;
  readonly #onRecord: (record: TalkRecord | "input") => void;
  readonly #unfinished = new UnfinishedText();
  #lastText: string | null = null;

  /** @param onRecord hears each record of it, and that something was said to it */
  constructor(run: string, onRecord: (record: TalkRecord | "input") => void) {
    this.run = run;
    this.#onRecord = onRecord;
    this.#stream = new EventStream({
      path: `/api/v1/runs/${encodeURIComponent(run)}/live`,
      onEvents: (events) => this.#takeEvents(events),
      onState: () => {},
      onGap: () => {},
      // An agent names its turn before the run has begun.
      isToCome: true,
    });
  }

  [Symbol.dispose](): void {
    this.#stream[Symbol.dispose]();
  }

  #takeEvents(events: StreamEvent[]): void {
    for (const { event, data } of events) {
      if (event === "line") this.#takeLine(data as RunEvent);
      else if (event === "piece") this.steps.addLive(data as RunEvent);
      else if (event === "end") this.#stream[Symbol.dispose]();
    }
    this.version.value++;
  }

  #takeLine(event: RunEvent): void {
    if (event.seq <= this.steps.lastLine) return;
    this.steps.add(event);
    const unfinished = this.#unfinished.apply(event);
    if (unfinished !== "") this.#onRecord(recordOfUnfinished(this.run, event, unfinished));
    const record = recordOfLine(this.run, event, this.#lastText);
    if (event.event === "text" && record) this.#lastText = typeof event["text"] === "string" ? event["text"] : "";
    if (record) this.#onRecord(record);
    if (event.event === "input") this.#onRecord("input");
  }
}
