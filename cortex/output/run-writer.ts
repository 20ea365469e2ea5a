/** Writes a run's events: into its file, then onto the bus. The one function that does both. */
import { parseEventLine } from "../../journal/chain/event-line.ts";
import { lineHash } from "../../journal/chain/hash-chain.ts";
import type { Logger } from "../../proc/logging/log.ts";
import { type AgentEvent, type EventBody, isTerminal } from "../../protocol/runs/event.ts";
import { textField } from "../../protocol/runs/text-field.ts";
import { SecretHider } from "../../protocol/guards/secrets.ts";
import type { Clock } from "../model/clock.ts";
import type { Ports, RunPublisher } from "../ports/ports.ts";
import type { OpenRunFile, RunFileReader } from "../ports/run-files.ts";
import { withoutSecrets } from "./run-secrets.ts";
import { stamp } from "./stamp.ts";
import { failpoint } from "../../proc/programs/failpoint.ts";

const tryAgainMs = 5000;

export type RunWriterDeps = Pick<Ports, "clock" | "files" | "publisher"> & { log: Logger };

export class RunWriter {
  readonly agentId: string;
  readonly #log: OpenRunFile;
  /** The reader of the lines that the bus lacks. */
  readonly #reader: RunFileReader;
  readonly #publisher: RunPublisher;
  readonly #clock: Clock;
  readonly #logger: Logger;
  /** Whether the bus lacks events of this run: then they go out from the file. */
  #isBehind: boolean;
  #isAbandoned = false;
  /** The time of the last line, in ms. */
  #lastTs: number;
  /** How many losses of the connection it has made up for, or will. */
  #losses: number;
  #hider = new SecretHider([]);
  #deltas = this.#hider.stream();
  /** While a cluster chooses a leader, a run isn't held up by each of its lines. */
  #nextTry = 0;

  /** @param isBehind whether the file has events that the bus may not have */
  constructor(file: OpenRunFile, { clock, files, publisher, log }: RunWriterDeps, isBehind: boolean) {
    this.#log = file;
    this.agentId = file.agentId;
    this.#lastTs = file.lastTs;
    this.#reader = files.reader(file.agentId);
    this.#publisher = publisher;
    this.#clock = clock;
    this.#logger = log;
    this.#isBehind = isBehind;
    this.#losses = publisher.losses;
  }

  /** From now on these are written nowhere. */
  keepSecret(secrets: Iterable<string>): void {
    this.#hider = new SecretHider(secrets);
    this.#deltas = this.#hider.stream();
  }

  /** An event as it will be written, without secrets. */
  shown(body: EventBody): EventBody {
    return this.#hider.isIn(JSON.stringify(body)) ? withoutSecrets(body, this.#hider) : body;
  }

  /** Text without secrets. */
  hide(text: string): string {
    return this.#hider.hide(text);
  }

  /** The number of the file's next line. */
  get nextSeq(): number {
    return this.#log.nextSeq;
  }

  /** The bytes of the file. */
  get size(): number {
    return this.#log.size;
  }

  /**
   * Appends, then publishes: whoever hears an event must find it in the file, and whoever hears a terminal event, on the disk.
   * @param maxBytes how long the file may become: the first event that doesn't fit, and those after it, are left out
   */
  async write(bodies: EventBody[], maxBytes = Infinity): Promise<AgentEvent[]> {
    this.#passOn({ event: "text_delta" }, this.#deltas.rest());
    const now = this.#clock.now().wall;
    const events: AgentEvent[] = [];
    const lines: string[] = [];
    let size = this.#log.size;
    for (const body of bodies) {
      const before = lines.at(-1);
      const prev = before === undefined ? this.#log.head : lineHash(before);
      const after = events.at(-1)?.ts ?? this.#lastTs;
      const { event, line } = this.#lineOf(body, this.#log.nextSeq + lines.length, now, prev, after);
      size += Buffer.byteLength(line) + 1;
      if (size > maxBytes) break;
      events.push(event);
      lines.push(line);
    }
    if (lines.length === 0) return [];
    this.#lastTs = events.at(-1)?.ts ?? this.#lastTs;
    await this.#log.append(lines, events.some(isTerminal));
    failpoint("events-written");
    this.#isBehind ||= !this.#publisher.isOpen(this.agentId) || this.#losses !== this.#publisher.losses;
    this.#losses = this.#publisher.losses;
    if (this.#isBehind) await this.catchUp();
    else events.forEach((event, index) => this.#publisher.publish(event, lines[index] as string));
    failpoint("events-published");
    return events;
  }

  #lineOf(
    body: EventBody,
    seq: number,
    now: number,
    prev: string | null,
    after: number,
  ): { event: AgentEvent; line: string } {
    const event = stamp(body, this.agentId, seq, now, prev, after);
    const line = JSON.stringify(event);
    if (!this.#hider.isIn(line)) return { event, line };
    const shown = stamp(withoutSecrets(event, this.#hider), this.agentId, seq, now, prev, after);
    return { event: shown, line: JSON.stringify(shown) };
  }

  /** Takes over lines that stand on the bus already. */
  async copy(lines: string[]): Promise<void> {
    if (lines.length === 0) return;
    this.#lastTs = Math.max(this.#lastTs, parseEventLine(lines.at(-1) ?? "")?.ts ?? 0);
    await this.#log.append(lines);
  }

  /** Publishes an event that has no place in the file. While the bus lacks others it's left out: they come first. */
  pass(event: EventBody): void {
    // Only the pieces of an answer are one text.
    if (event.event !== "text_delta") return this.#passOn(event, this.hide(textField(event, "text")));
    this.#passOn(event, this.#deltas.push(textField(event, "text")));
  }

  #passOn(delta: EventBody, text: string): void {
    if (this.#isBehind || text === "") return;
    const event = this.shown({ ...delta, text });
    const { seq: _, ...body } = stamp(event, this.agentId, this.nextSeq, this.#clock.now().wall);
    this.#publisher.publishPassing(this.agentId, body, this.nextSeq - 1);
  }

  /** The bus was away. What it missed goes out before anything else does. */
  fallBehind(): void {
    this.#isBehind = true;
  }

  /** Publishes from the file what the bus lacks. */
  async catchUp(): Promise<void> {
    if (this.#isAbandoned || !this.#isBehind) return;
    if (!this.#publisher.isOpen(this.agentId) || this.#clock.now().steady < this.#nextTry) return;
    try {
      this.#isBehind = !(await this.#publisher.catchUp(this.agentId, (from) => this.#reader.lines(from)));
    } catch (error) {
      this.#nextTry = this.#clock.now().steady + tryAgainMs;
      this.#logger.warn({ agent_id: this.agentId, err: error }, "the bus doesn't have all events yet");
    }
  }

  /** Ends the run: its file gets its final name. */
  close(): Promise<void> {
    return this.#log.close(() => failpoint("file-linked"));
  }

  /** Another worker writes this run now: lets go of the file, of which nothing more is published. */
  abandon(): Promise<void> {
    this.#isAbandoned = true;
    return this.#log.release();
  }

  /** Lets go of the file and leaves the run in progress. */
  release(): Promise<void> {
    return this.#log.release();
  }
}
