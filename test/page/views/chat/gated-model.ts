/** Plays a model of Anthropic's whose answers come word by word, and stand still where a test holds them, until it lets them go on. */
import { createServer, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { type Conversation, conversationIn } from "../../../agents/conversation.ts";
import { keptConnections } from "../../../support/network/kept-connections.ts";

/** Words that are said, calls, and `hold`: it stands still there. */
export type Piece = { say: string } | { hold: string } | { call: string; args: Record<string, unknown> };
export type GatedMind = (conversation: Conversation) => Piece[];

export class GatedModel implements AsyncDisposable {
  readonly asked: Conversation[] = [];
  readonly #server = createServer(keptConnections, (request, response) => {
    void json(request).then(
      (body) => this.#answer(body, response),
      // Who asks was killed in the middle of it.
      () => response.destroy(),
    );
  });
  readonly #gates = new Map<string, { held: PromiseWithResolvers<void>; open: PromiseWithResolvers<void> }>();
  readonly #mind: GatedMind;

  constructor(mind: GatedMind) {
    this.#mind = mind;
  }

  async listen(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resolves when an answer stands still there. */
  held(gate: string): Promise<void> {
    return this.#gate(gate).held.promise;
  }

  release(gate: string): void {
    this.#gate(gate).open.resolve();
  }

  async #answer(body: unknown, response: ServerResponse): Promise<void> {
    const conversation = conversationIn(body);
    this.asked.push(conversation);
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    const send = (type: string, more: object) =>
      response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`);
    const usage = { input_tokens: 1200, output_tokens: 30 };
    const message = {
      id: `msg_${this.asked.length}`,
      type: "message",
      role: "assistant",
      model: "claude-sonnet-4-5",
      content: [],
    };
    send("message_start", { message: { ...message, stop_reason: null, stop_sequence: null, usage } });
    let index = 0;
    const pieces = this.#mind(conversation);
    const words = pieces.filter((piece) => !("call" in piece));
    if (words.length > 0) {
      send("content_block_start", { index, content_block: { type: "text", text: "" } });
      for (const piece of words)
        if ("say" in piece) send("content_block_delta", { index, delta: { type: "text_delta", text: piece.say } });
        else if ("hold" in piece) await this.#hold(piece.hold);
      send("content_block_stop", { index: index++ });
    }
    const calls = pieces.filter((piece) => "call" in piece);
    for (const { call, args } of calls) {
      const id = `toolu_${this.asked.length}_${index}`;
      send("content_block_start", { index, content_block: { type: "tool_use", id, name: call, input: {} } });
      send("content_block_delta", { index, delta: { type: "input_json_delta", partial_json: JSON.stringify(args) } });
      send("content_block_stop", { index: index++ });
    }
    const stop_reason = calls.length > 0 ? "tool_use" : "end_turn";
    send("message_delta", { delta: { stop_reason, stop_sequence: null }, usage });
    send("message_stop", {});
    response.end();
  }

  async #hold(name: string): Promise<void> {
    const gate = this.#gate(name);
    gate.held.resolve();
    await gate.open.promise;
  }

  #gate(name: string) {
    const known = this.#gates.get(name) ?? { held: Promise.withResolvers<void>(), open: Promise.withResolvers<void>() };
    this.#gates.set(name, known);
    return known;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { open } of this.#gates.values()) open.resolve();
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
