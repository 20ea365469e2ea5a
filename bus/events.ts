/** Events on the bus: published in the order of the file, and again from the file where the bus missed some. */
import { headers } from "@nats-io/transport-node";
import { AgentEvent, type EventBody } from "../protocol/event.ts";
import { subjects } from "../protocol/subjects.ts";
import type { Bus } from "./connect.ts";
import { eventMessage, headroomBytes } from "./event-message.ts";
import { eventStream } from "./streams.ts";

/** What may be under way to the server before its word is waited for. */
const windowBytes = 1024 * 1024;

/** On an event that has no number of its own: the number of the one before it. */
const afterHeader = "Cortex-After";

/** The server's default; it says its own when connected. */
const defaultMaxPayload = 1024 * 1024;

/** Publishes the events of all runs of this cortex. */
export class EventPublisher {
  readonly #bus: Bus;
  #underWay = 0;

  constructor(bus: Bus) {
    this.#bus = bus;
  }

  /** How long a request may be to go out as a message. */
  get maxRequestBytes(): number {
    return this.#maxPayload - headroomBytes;
  }

  get #maxPayload(): number {
    return this.#bus.connection.info?.max_payload ?? defaultMaxPayload;
  }

  /** Sends an event that stands in the file, `line` being its text. While the bus is away nothing is sent: `catchUp` will. */
  publish(event: AgentEvent, line: string): void {
    if (!this.#bus.isConnected) return;
    const { connection } = this.#bus;
    const message = eventMessage(event, line, this.#maxPayload);
    const head = headers();
    head.set("Nats-Msg-Id", `${event.agent_id}:${event.seq}`);
    connection.publish(subjects.event(event.agent_id, event.event), message, { headers: head });
    this.#underWay += message.length;
  }

  /**
   * Sends an event that stands in no file: `text_delta`.
   * @param afterSeq the number of the file's last line, for `catchUp`
   */
  publishPassing(agentId: string, event: EventBody, afterSeq: number): void {
    if (!this.#bus.isConnected) return;
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
   * Sends those of a run's events that the bus doesn't have. The stream itself says how far it came.
   * @returns whether the bus now has them all
   */
  async catchUp(agentId: string, events: AgentEvent[]): Promise<boolean> {
    if (!this.#bus.isConnected) return false;
    const last = await this.#lastSeq(agentId);
    for (const event of events) {
      if (event.seq <= last) continue;
      this.publish(event, JSON.stringify(event));
      await this.paced();
    }
    return this.arrived();
  }

  async #lastSeq(agentId: string): Promise<number> {
    const manager = await this.#bus.manager();
    const filter = { last_by_subj: subjects.events(agentId) };
    const message = await manager.streams.getMessage(eventStream, filter).catch((error: unknown) => {
      if (error instanceof Error && "code" in error && error.code === 10037) return null; // no message found
      throw error;
    });
    if (!message) return 0;
    const parsed = AgentEvent.safeParse(JSON.parse(message.string()));
    return parsed.success ? parsed.data.seq : Number(message.header?.get(afterHeader)) || 0;
  }
}
