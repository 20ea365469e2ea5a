/** Writes a run's events: into its file, then onto the bus. The one function that does both. */
import type { EventPublisher } from "../bus/events.ts";
import { readRun } from "../journal/read-run.ts";
import type { RunLog } from "../journal/run-log.ts";
import type { Logger } from "../proc/log.ts";
import type { AgentEvent, EventBody } from "../protocol/event.ts";
import { stamp } from "./stamp.ts";

export class RunWriter {
  readonly agentId: string;
  readonly #journal: string;
  readonly #log: RunLog;
  readonly #publisher: EventPublisher;
  readonly #logger: Logger;
  /** Whether the bus lacks events of this run: then they go out from the file. */
  #isBehind: boolean;

  /** @param isBehind whether the file has events that the bus may not have */
  constructor(journal: string, log: RunLog, publisher: EventPublisher, logger: Logger, isBehind: boolean) {
    this.#journal = journal;
    this.#log = log;
    this.agentId = log.agentId;
    this.#publisher = publisher;
    this.#logger = logger;
    this.#isBehind = isBehind;
  }

  /** The number of the file's next line. */
  get nextSeq(): number {
    return this.#log.nextSeq;
  }

  /** Appends, then publishes: whoever hears an event must find it in the file. */
  async write(bodies: EventBody[]): Promise<AgentEvent[]> {
    const now = Date.now();
    const first = this.#log.nextSeq;
    const events = bodies.map((body, index) => stamp(body, this.agentId, first + index, now));
    const lines = events.map((event) => JSON.stringify(event));
    await this.#log.append(lines);
    if (this.#isBehind) await this.catchUp();
    else events.forEach((event, index) => this.#publisher.publish(event, lines[index] as string));
    return events;
  }

  /** Publishes an event that has no place in the file. While the bus lacks others it's left out: they come first. */
  pass(event: EventBody): void {
    if (this.#isBehind) return;
    const { seq: _, ...body } = stamp(event, this.agentId, this.nextSeq, Date.now());
    this.#publisher.publishPassing(this.agentId, body, this.nextSeq - 1);
  }

  /** The bus was away. What it missed goes out before anything else does. */
  fallBehind(): void {
    this.#isBehind = true;
  }

  /** Publishes from the file what the bus lacks. */
  async catchUp(): Promise<void> {
    if (!this.#isBehind) return;
    try {
      const events = readRun(this.#journal, this.agentId)?.events ?? [];
      this.#isBehind = !(await this.#publisher.catchUp(this.agentId, events));
    } catch (error) {
      this.#logger.warn({ agent_id: this.agentId, err: error }, "the bus doesn't have all events yet");
    }
  }

  /** Ends the run: its file gets its final name. */
  close(): void {
    this.#log.close();
  }

  /** Lets go of the file and leaves the run in progress. */
  release(): void {
    this.#log.release();
  }
}
