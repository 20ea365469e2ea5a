/**
 * The way from a tool to the agents' service, which does what only it can: speak, send off a task, say whose run this is. Over
 * the bus, which is opened when it is first needed, and anew where it has come back elsewhere after its restart.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { BusAddress } from "../../bus/connection/connect.ts";
import type { AgentAnswer, ToolCall } from "../../protocol/agents/agent-call.ts";
import { addressKey, BusLink } from "../links/bus-link.ts";

export interface AgentsService {
  /** Asks the agents' service. Its absence is an answer, too. */
  ask(call: ToolCall): Promise<AgentAnswer>;
  /** Says something to a run, as its user would. */
  tellRun(runId: string, text: string): Promise<void>;
}

/**
 * Milliseconds for which a call that finds no service is made again, and between two tries: a service that dies is
 * started again within seconds.
 */
const patienceMs = 60_000;
const againMs = 200;

export class AgentsLink implements AgentsService, AsyncDisposable {
  readonly #addressNow: () => BusAddress | null;
  readonly #link = new BusLink("mcp-tools");
  #isClosed = false;

  readonly #patienceMs: number;

  /** @param addressNow null where there is no bus  @param patience for who is away, in ms */
  constructor(addressNow: () => BusAddress | null, patience = patienceMs) {
    this.#addressNow = addressNow;
    this.#patienceMs = patience;
  }

  async ask(call: ToolCall): Promise<AgentAnswer> {
    const { callTool, NoAgentsError } = await import("../../bus/agents/agent-calls.ts");
    const { BusUnreachableError } = await import("../../bus/connection/connect-error.ts");
    for (const end = performance.now() + this.#patienceMs; ; await delay(againMs)) {
      if (this.#isClosed) return { ok: false, error: "the tools' program is leaving" };
      const address = this.#addressNow();
      if (!address) return { ok: false, error: "there is no bus: start everything with cortex up" };
      try {
        return await callTool(await this.#link.at(address), call);
      } catch (error) {
        // It went elsewhere meanwhile. The call has an id: it is done once, wherever and however often it is asked for.
        if (addressKey(this.#addressNow()) !== addressKey(address)) continue;
        const isAway = error instanceof NoAgentsError || error instanceof BusUnreachableError;
        if (!isAway) throw error;
        if (performance.now() >= end) return { ok: false, error: error.message };
      }
    }
  }

  async tellRun(runId: string, text: string): Promise<void> {
    const { publishInput } = await import("../../bus/runs/control.ts");
    const address = this.#addressNow();
    if (!address) throw new Error("there is no bus");
    const bus = await this.#link.at(address);
    publishInput(bus, runId, text);
    await bus.connection.flush();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await this.#link[Symbol.asyncDispose]();
  }
}
