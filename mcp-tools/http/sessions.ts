/**
 * The sessions of clients of the older protocol that can be asked something in the middle of a call: what each said at its beginning,
 * and which calls may ask it now. Lost with the program: from then on nothing is asked, until the client begins again.
 */
import { randomUUID } from "node:crypto";
import {
  type InitializeRequest,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  type JSONRPCResponse,
  type RequestId,
  type Server,
  type Transport,
} from "@modelcontextprotocol/server";

/** More sessions than this at once, and the one that was longest silent is asked nothing more. */
const maxSessions = 1_000;

const greetingId = "session";

export class Sessions {
  readonly #greetings = new Map<string, InitializeRequest>();
  /** The calls under way that may ask, by their client and a name of their own. */
  readonly #asking = new Map<string, { client: string; call: RequestId; transport: Transport }>();

  /** Notes how a session began, if its client can be asked anything. */
  begin(client: string, greeting: InitializeRequest): void {
    const { elicitation, sampling, roots } = greeting.params.capabilities;
    if (!elicitation && !sampling && !roots) return;
    this.#greetings.delete(client);
    this.#greetings.set(client, greeting);
    const [oldest] = this.#greetings.keys();
    if (this.#greetings.size > maxSessions && oldest !== undefined) this.#greetings.delete(oldest);
  }

  canBeAsked(client: string): boolean {
    return this.#greetings.has(client);
  }

  /** Connects the server of a call. It is told how its client's session began, and what it asks comes back by `answer`. */
  async connect(client: string, call: RequestId, server: Server, transport: Transport): Promise<void> {
    await server.connect(transport);
    const greeting = this.#greetings.get(client);
    if (!greeting) return;
    this.begin(client, greeting);
    const name = randomUUID();
    this.#asking.set(`${client} ${name}`, { client, call, transport });
    const greeted = Promise.withResolvers<void>();
    server.onclose = () => {
      this.#asking.delete(`${client} ${name}`);
      greeted.resolve();
    };
    const send = transport.send.bind(transport);
    transport.send = async (message, options) => {
      if (isJSONRPCResponse(message) && message.id === greetingId) greeted.resolve();
      else await send(renamed(message, name), options);
    };
    transport.onmessage?.({ ...greeting, jsonrpc: "2.0", id: greetingId });
    await greeted.promise;
  }

  /** Hands a client's answer to the call that has asked. One that is over by now needs none. */
  answer(client: string, answer: JSONRPCResponse): void {
    const [name, id] = String(answer.id).split(":");
    this.#asking.get(`${client} ${name}`)?.transport.onmessage?.({ ...answer, id: Number(id) });
  }

  /** Ends a call that may be waiting for an answer. */
  async cancel(client: string, call: RequestId | undefined): Promise<void> {
    const cancelled = [...this.#asking.values()].filter((one) => one.client === client && one.call === call);
    await Promise.all(cancelled.map(({ transport }) => transport.close()));
  }
}

/** The same message under an id that no other call of the session has: each server counts its own requests from nothing. */
function renamed(message: JSONRPCMessage, name: string): JSONRPCMessage {
  if (isJSONRPCRequest(message)) return { ...message, id: `${name}:${message.id}` };
  if (!("method" in message) || message.method !== "notifications/cancelled") return message;
  return { ...message, params: { ...message.params, requestId: `${name}:${String(message.params?.["requestId"])}` } };
}
