/** Connections to a running system as those outside have them: a client of the bus, an adapter's user, HTTP addresses with their tokens. */
import { createInbox, headers, type Msg } from "@nats-io/transport-node";
import { type Bus, openBus } from "../../bus/connection/connect.ts";
import { addressAs, type Endpoints, readBusAccess } from "../../journal/access/endpoints.ts";
import { commandsToken } from "../../journal/access/tokens.ts";
import { type AgentEvent, isTerminal } from "../../protocol/runs/event.ts";
import { type Rejection, replyHeader, type Status } from "../../protocol/runs/subjects.ts";
import { patienceMs } from "../support/patience.ts";

/** A request was refused, or its run has ended. */
export type Answer = { rejection: Rejection } | { ended: AgentEvent };

/** So many of the last ends are remembered. */
const mostEnded = 1_000;
/** Milliseconds that a run may take before it is cancelled. */
const waitsMs = 40_000;

type Addresses = { web: string; webToken: string; webhook: string; mcp: string; mcpToken: string };

export class Clients implements AsyncDisposable {
  readonly client: Bus;
  /** The user of the channel `alpha`. */
  readonly channel: Bus;
  readonly addresses: Addresses;
  /** The last that cortex said of itself. */
  status: Status | null = null;
  readonly #listeners = new Set<(event: AgentEvent) => void>();
  readonly #ended: AgentEvent[] = [];

  private constructor(client: Bus, channel: Bus, addresses: Addresses) {
    this.client = client;
    this.channel = channel;
    this.addresses = addresses;
  }

  static async open(journal: string, endpoints: Endpoints, webhook: string): Promise<Clients> {
    const access = readBusAccess(journal);
    if (!access) throw new Error(`no bus for ${journal}`);
    const { web_url: web = "", web_token: webToken = "", mcp_url: mcp = "" } = endpoints;
    const open = (user: string) => openBus(addressAs(access, user), user, patienceMs);
    const addresses = { web, webToken, webhook, mcp, mcpToken: await commandsToken(journal) };
    const clients = new Clients(await open("client"), await open("channel-alpha"), addresses);
    const { connection } = clients.client;
    connection.subscribe("cortex.event.>", { callback: (_, message) => clients.#hear(message) });
    connection.subscribe("cortex.status", { callback: (_, message) => void (clients.status = message.json()) });
    await connection.flush();
    return clients;
  }

  #hear(message: Msg): void {
    const event = message.json<AgentEvent>();
    if (isTerminal(event) && this.#ended.push(event) > mostEnded) this.#ended.shift();
    for (const listener of this.#listeners) listener(event);
  }

  /**
   * Publishes a request, whatever it is, and waits until it is refused or its run has ended.
   * @param agentId whose run it is to be, as far as the caller knows
   * @throws Error when there is no answer in time
   */
  async ask(bytes: Uint8Array, agentId: string, ms = patienceMs): Promise<Answer> {
    const { connection } = this.client;
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const ids = new Set([agentId]);
    const take = (event: AgentEvent) => {
      if (ids.has(event.agent_id) && isTerminal(event)) resolve({ ended: event });
    };
    const inbox = createInbox();
    const answers = connection.subscribe(inbox, {
      callback: (_, message) => {
        const answer = message.json<Rejection | { accepted: true; agent_id: string }>();
        if (!("accepted" in answer)) return resolve({ rejection: answer });
        // Whose id is another one after all may have ended by now.
        ids.add(String(answer.agent_id));
        for (const event of this.#ended) take(event);
      },
    });
    this.#listeners.add(take);
    const timer = setTimeout(
      () => reject(new Error(`a request came to no end within ${ms} ms: ${[...ids].join(", ")}`)),
      ms,
    );
    // What waits for something that nobody has, such as a label, is ended from outside.
    const cancel = setInterval(() => {
      for (const id of ids) connection.publish(`cortex.cancel.${id}`, "{}");
    }, waitsMs);
    const named = headers();
    named.set(replyHeader, inbox);
    try {
      connection.publish("cortex.request", bytes, { headers: named });
      return await promise;
    } finally {
      clearTimeout(timer);
      clearInterval(cancel);
      this.#listeners.delete(take);
      answers.unsubscribe();
    }
  }

  /** Asks for a run with an id of the caller's, and waits for its end. @throws Error when it is refused, or doesn't end */
  async run(agentId: string, fields: Record<string, unknown>, ms = patienceMs): Promise<AgentEvent> {
    const request = Buffer.from(JSON.stringify({ ts: Number(agentId), ...fields }));
    const answer = await this.ask(request, agentId, ms);
    if ("rejection" in answer) throw new Error(`a request was refused: ${answer.rejection.error}`);
    return answer.ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client[Symbol.asyncDispose]();
    await this.channel[Symbol.asyncDispose]();
  }
}
