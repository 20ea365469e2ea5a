/** Events on the bus: published in the order of the file, and again from the file where the bus missed some. */
import { headers } from "@nats-io/transport-node";
import { AgentEvent, type EventBody } from "../../protocol/runs/event.ts";
import { subjects } from "../../protocol/runs/subjects.ts";
import { Acknowledgements } from "./acknowledgements.ts";
import type { Bus } from "../connection/connect.ts";
import { epochHeader, epochOf, eventMessage, messageId } from "./event-message.ts";
import { defaultMaxPayload, mostMessageBytes } from "./message-size.ts";
import { eventStream } from "../jetstream/streams.ts";
import { parseOwnJson } from "../../protocol/json/parse-json.ts";

/** Bytes that may be under way to the server before its answer is waited for. */
const windowBytes = 1024 * 1024;

/** The inbox for the stream's answers: cortex's own, which clients can't read. */
const inboxPrefix = "_INBOX_cortex";

/** On an event that has no number of its own: the number of the one before it. */
const afterHeader = "Cortex-After";

/** Reads the lines of a run's file, from a number on. */
export type ReadLines = (from: number) => AsyncIterable<{ event: AgentEvent; line: string }>;

/** Publishes the events of all runs of this cortex. */
export class EventPublisher {
  readonly #bus: Bus;
  readonly #mayPublish: (agentId: string) => boolean;
  readonly #epochOf: (agentId: string) => number;
  readonly #acknowledged: Acknowledgements;
  readonly #onMissing = new Set<(agentId: string) => void>();
  /** The last of each run that this worker has taken over. */
  readonly #said = new Map<string, number>();
  /** Runs whose missing events are being sent again. */
  readonly #catchingUp = new Map<string, Promise<void>>();
  #underWay = 0;
  #losses = 0;

  /**
   * @param mayPublish whether this worker's word on a run counts: while it doesn't, nothing is sent, as while the bus is away
   * @param runEpoch how often a run has changed hands
   */
  constructor(
    bus: Bus,
    mayPublish: (agentId: string) => boolean = () => true,
    runEpoch: (agentId: string) => number = () => 1,
  ) {
    this.#bus = bus;
    this.#mayPublish = mayPublish;
    this.#epochOf = runEpoch;
    this.#acknowledged = new Acknowledgements(bus.connection, inboxPrefix, (agentId) => {
      for (const callback of this.#onMissing) callback(agentId);
    });
    bus.onDisconnect(() => {
      this.#losses++;
      this.#acknowledged.forgetUnanswered();
    });
  }

  /** Calls back when the stream lacks something of a run that went out: `catchUp` fixes it. */
  onMissing(callback: (agentId: string) => void): void {
    this.#onMissing.add(callback);
  }

  /** How often the connection was lost, and with it what was under way. */
  get losses(): number {
    return this.#losses;
  }

  /** Whether what is published of a run now goes out. */
  isOpen(agentId: string): boolean {
    return this.#bus.isConnected && this.#mayPublish(agentId);
  }

  /** How long a request may be to go out as a message. */
  get maxRequestBytes(): number {
    return mostMessageBytes(this.#bus);
  }

  get #maxPayload(): number {
    return this.#bus.connection.info?.max_payload ?? defaultMaxPayload;
  }

  /** Sends an event that stands in the file, `line` being its text. While the bus is away nothing is sent: `catchUp` will. */
  publish(event: AgentEvent, line: string): void {
    if (!this.isOpen(event.agent_id)) return;
    const { connection } = this.#bus;
    const message = eventMessage(event, line, this.#maxPayload);
    const head = headers();
    const epoch = this.#epochOf(event.agent_id);
    head.set("Nats-Msg-Id", messageId(event.agent_id, event.seq, epoch));
    if (epoch > 0) head.set(epochHeader, String(epoch));
    if (epoch > 1) this.#said.set(event.agent_id, event.seq);
    const reply = this.#acknowledged.expect(event.agent_id, event.seq);
    connection.publish(subjects.event(event.agent_id, event.event), message, { headers: head, reply });
    this.#underWay += message.length;
  }

  /**
   * Sends an event that stands in no file: `text_delta`.
   * @param afterSeq the number of the file's last line, for `catchUp`
   */
  publishPassing(agentId: string, event: EventBody, afterSeq: number): void {
    if (!this.isOpen(agentId)) return;
    const message = eventMessage(event, JSON.stringify(event), this.#maxPayload);
    const head = headers();
    head.set(afterHeader, String(afterSeq));
    this.#bus.connection.publish(subjects.event(agentId, event.event), message, { headers: head });
  }

  /** Waits when too much is under way, so that a slow bus slows the writer rather than filling memory. */
  async paced(): Promise<void> {
    if (this.#underWay < windowBytes) return;
    this.#underWay = 0;
    await this.arrived();
  }

  /** Whether all that was published has arrived at the server. */
  async arrived(): Promise<boolean> {
    if (!this.#bus.isConnected) return false;
    return this.#bus.connection.flush().then(
      () => this.#bus.isConnected,
      () => false,
    );
  }

  /**
   * Sends those of a run's events that the bus doesn't have. The stream itself says how far it came, and what it
   * confirmed says whether something before that is missing; what it has all the same it knows by its message id.
   * @param read the lines of the run's file, from a number on
   * @returns whether they have arrived at the server; `confirmed` says whether the stream has them
   */
  async catchUp(agentId: string, read: ReadLines): Promise<boolean> {
    // One at a time: two would both find the same missing, and who listens would hear it twice.
    const before = this.#catchingUp.get(agentId);
    const now = (before ?? Promise.resolve()).then(() => this.#catchUp(agentId, read));
    const done = now.then(
      () => {},
      () => {},
    );
    this.#catchingUp.set(agentId, done);
    return now.finally(() => this.#catchingUp.get(agentId) === done && this.#catchingUp.delete(agentId));
  }

  async #catchUp(agentId: string, read: ReadLines): Promise<boolean> {
    if (!this.isOpen(agentId)) return false;
    const last = await this.#lastSeq(agentId);
    const missing = this.#acknowledged.firstMissing(agentId) ?? last + 1;
    this.#acknowledged.retrying(agentId);
    for await (const { event, line } of read(Math.min(last + 1, missing))) {
      if (!this.isOpen(agentId)) return false; // it would be left out
      this.publish(event, line);
      await this.paced();
    }
    return (await this.arrived()) && this.isOpen(agentId);
  }

  /** Waits for the stream's word on what went out of a run. Resolves with whether it has everything. */
  confirmed(agentId: string): Promise<boolean> {
    return this.#acknowledged.settled(agentId);
  }

  async #lastSeq(agentId: string): Promise<number> {
    const manager = await this.#bus.manager();
    const filter = { last_by_subj: subjects.events(agentId) };
    const message = await manager.streams.getMessage(eventStream, filter);
    if (!message) return 0;
    // A late word of a worker that has lost the run hides how far this one's came.
    const said = this.#said.get(agentId);
    if (said !== undefined && epochOf(message.header) < this.#epochOf(agentId)) return said;
    const parsed = AgentEvent.safeParse(parseOwnJson(message.string()));
    return parsed.success ? parsed.data.seq : Number(message.header?.get(afterHeader)) || 0;
  }
}
