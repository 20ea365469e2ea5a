/** Takes events in the order of the stream, and sends what they end in batches: each noted before it is sent, and until it was taken. */
import type { FedEvent } from "../../bus/events/event-feed.ts";
import type { Logger } from "../../proc/logging/log.ts";
import { Totals } from "../metrics/totals.ts";
import { metricsBody, type Sender, tracesBody } from "../otlp/encode.ts";
import type { Span } from "../otlp/telemetry-data.ts";
import { dropExcess, dropSilent, forgetContent } from "../spans/mapper-state.ts";
import { applyEvent } from "../spans/run-mapper.ts";
import { moveToStream, type KeptTelemetry, type Outgoing } from "./kept-telemetry.ts";

/** Spans of a batch, and characters of theirs. */
const [mostSpans, mostCharacters] = [512, 2 * 1024 * 1024];
/** Events after which the position is kept although they ended nothing. */
const eventsBetween = 20_000;
/** Milliseconds after which the totals are sent again: a receiver forgets a series that falls silent. */
const totalsEveryMs = 60_000;

export type ExporterDeps = {
  kept: KeptTelemetry;
  content: boolean;
  version: string;
  /** Makes it last. */
  save: (kept: KeptTelemetry) => Promise<void>;
  /** Resolves with whether it is done with. */
  deliver: (outgoing: Outgoing) => Promise<boolean>;
  now: () => number;
  log: Pick<Logger, "info" | "warn">;
};

export class Exporter {
  readonly #deps: ExporterDeps;
  /** As it is after the last event that was taken. */
  readonly #kept: KeptTelemetry;
  /** As it was when the last batch was noted: what is in memory since then is read again after a kill. */
  #noted: KeptTelemetry;
  /** Whether that is on the disk. */
  #isKept = true;
  readonly #totals: Totals;
  #spans: Span[] = [];
  #characters = 0;
  #isMeasured = false;
  #unkept = 0;
  #totalsSent: number;

  constructor(deps: ExporterDeps) {
    this.#deps = deps;
    this.#kept = deps.kept;
    this.#totals = new Totals(deps.kept.totals);
    if (!deps.content) this.#forgetContent();
    this.#noted = structuredClone(deps.kept);
    this.#totalsSent = deps.now();
  }

  /** The last message of the stream that was taken. */
  get position(): number {
    return this.#kept.position;
  }

  /** Whether a batch is as large as one may be. */
  get isFull(): boolean {
    return this.#spans.length >= mostSpans || this.#characters >= mostCharacters || this.#unkept >= eventsBetween;
  }

  /** Goes to the place in a stream from which to read on. */
  moveToStream(stream: { stream: string; last: number }): void {
    moveToStream(this.#kept, stream, this.#deps.now());
  }

  /** Adds an event of the stream, and what it ends to the next batch. */
  addEvent({ read, epoch, position }: Pick<FedEvent, "read" | "epoch" | "position">): void {
    const event = read()?.event;
    const { spans, measures } = event
      ? applyEvent(this.#kept.mapper, event, epoch, this.#deps.content)
      : { spans: [], measures: [] };
    for (const measure of measures) this.#totals.add(measure);
    for (const span of spans) this.#characters += JSON.stringify(span).length;
    this.#spans.push(...spans);
    this.#isMeasured ||= measures.length > 0;
    this.#kept.position = position;
    this.#unkept++;
  }

  /** Sends what was noted before, and what has ended since. Resolves with false when it was stopped before all was sent. */
  async flush(): Promise<boolean> {
    if (!(await this.#sendNoted())) return false;
    const { now, log } = this.#deps;
    for (const agentId of dropSilent(this.#kept.mapper, now()))
      log.warn({ agent_id: agentId }, "a run isn't heard of any more: it has no span");
    for (const agentId of dropExcess(this.#kept.mapper))
      log.warn({ agent_id: agentId }, "too much is open at once: the run that was silent for longest has no span");
    const areTotalsDue =
      this.#isMeasured || (!this.#totals.isEmpty && Math.abs(now() - this.#totalsSent) >= totalsEveryMs);
    if (this.#spans.length === 0 && !areTotalsDue && this.#unkept < eventsBetween) return true;
    const outgoing = this.#batch(areTotalsDue);
    this.#noted = structuredClone({ ...this.#kept, totals: this.#totals.kept, outgoing });
    if (areTotalsDue) this.#totalsSent = now();
    [this.#spans, this.#characters, this.#isMeasured, this.#unkept] = [[], 0, false, 0];
    this.#isKept = false;
    return await this.#sendNoted();
  }

  #batch(withTotals: boolean): Outgoing[] {
    const { now, version, content } = this.#deps;
    const sender: Sender = { instance: this.#kept.mapper.instance, version };
    const { since, points } = this.#totals;
    return [
      ...(this.#spans.length > 0
        ? [{ path: "v1/traces" as const, body: tracesBody(sender, this.#spans), content }]
        : []),
      ...(withTotals
        ? [{ path: "v1/metrics" as const, body: metricsBody(sender, points, since, now()), content: false }]
        : []),
    ];
  }

  /** Sends nothing that isn't on the disk, also where that took nothing for a while. */
  async #sendNoted(): Promise<boolean> {
    const { outgoing } = this.#noted;
    await this.#keep();
    for (let next = outgoing[0]; next; next = outgoing[0]) {
      if (!(await this.#deps.deliver(next))) return false;
      outgoing.shift();
      this.#isKept = false;
      await this.#keep();
    }
    return true;
  }

  async #keep(): Promise<void> {
    if (!this.#isKept) await this.#deps.save(this.#noted);
    this.#isKept = true;
  }

  /** Drops what was said while content was sent, now that it isn't any more. */
  #forgetContent(): void {
    forgetContent(this.#kept.mapper);
    this.#isKept = false;
    const { outgoing } = this.#kept;
    this.#kept.outgoing = outgoing.filter(({ content }) => !content);
    if (this.#kept.outgoing.length < outgoing.length)
      this.#deps.log.warn("content isn't sent any more: a batch that had it, and wasn't taken yet, is dropped");
  }
}
