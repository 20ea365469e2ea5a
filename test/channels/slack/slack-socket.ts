/** Socket Mode as Slack plays it: envelopes are held until they are acknowledged, and come again on the next connection. */
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketEnd } from "./web-socket.ts";

export type SentEnvelope = {
  envelope_id: string;
  type: string;
  payload: Record<string, unknown>;
  retry_attempt: number;
};

export class SlackSocket {
  /** Envelopes that weren't acknowledged yet, in their order. */
  readonly held: SentEnvelope[] = [];
  /** Answers in the acknowledgements, by the envelope's id. */
  readonly acknowledged = new Map<string, unknown>();
  /** The next envelope breaks off in the middle. */
  tearsNext = false;
  /** How many connections were opened. */
  opened = 0;
  #end: WebSocketEnd | null = null;

  accept(request: IncomingMessage, socket: Duplex): void {
    this.#end?.drop();
    const end = new WebSocketEnd(
      request,
      socket,
      (text) => this.#take(text),
      () => {
        if (this.#end === end) this.#end = null;
      },
    );
    this.#end = end;
    this.opened++;
    end.send(JSON.stringify({ type: "hello", num_connections: 1, connection_info: { app_id: "A0CORTEX" } }));
    for (const envelope of this.held) {
      envelope.retry_attempt++;
      this.#send(envelope);
    }
  }

  get isConnected(): boolean {
    return this.#end !== null;
  }

  /** @returns the envelope's id */
  hand(type: string, payload: Record<string, unknown>): string {
    const envelope = { envelope_id: randomUUID(), type, payload, retry_attempt: 0 };
    this.held.push(envelope);
    this.#send(envelope);
    return envelope.envelope_id;
  }

  /** Hands everything that is held over once more, on the same connection. */
  repeat(): void {
    for (const envelope of this.held) {
      envelope.retry_attempt++;
      this.#send(envelope);
    }
  }

  /** Sends something that is no envelope. */
  sendRaw(text: string): void {
    this.#end?.send(text);
  }

  /** Asks the client to come again. */
  refresh(reason = "refresh_requested"): void {
    this.#end?.send(JSON.stringify({ type: "disconnect", reason, debug_info: { host: "applink-1" } }));
  }

  drop(): void {
    this.#end?.drop();
    this.#end = null;
  }

  #send({ envelope_id, type, payload, retry_attempt }: SentEnvelope): void {
    const again = retry_attempt === 0 ? {} : { retry_attempt, retry_reason: "timeout" };
    const text = JSON.stringify({
      envelope_id,
      type,
      payload,
      accepts_response_payload: type !== "events_api",
      ...again,
    });
    if (this.tearsNext) this.#end?.tear(text);
    else this.#end?.send(text);
    this.tearsNext = false;
  }

  #take(text: string): void {
    const { envelope_id, payload } = JSON.parse(text) as { envelope_id: string; payload: unknown };
    this.acknowledged.set(envelope_id, payload);
    const at = this.held.findIndex((envelope) => envelope.envelope_id === envelope_id);
    if (at >= 0) this.held.splice(at, 1);
  }
}
