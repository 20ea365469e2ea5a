/** The real mcp-tools and a real bus, with someone in the place of the agents' service: it notes what it is asked, and answers. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { answerCalls } from "../../bus/agents/agent-calls.ts";
import { issueToken } from "../../journal/access/tokens.ts";
import type { AgentAnswer, AgentContext, ToolCall } from "../../protocol/agents/agent-call.ts";
import { BusServer } from "../bus/bus-server.ts";
import { connect, startTools, type ToolsServer } from "./tools-server.ts";

export const agentId = "tz4a98xxat96iws9zmbrgj3a";
export const runId = "1736380800000";

export class AgentsService implements AsyncDisposable {
  readonly calls: ToolCall[] = [];
  /** By the name of a tool. */
  readonly answers = new Map<string, AgentAnswer>();
  readonly bus: BusServer;
  readonly tools: ToolsServer;
  /** The answer of the service about every run. */
  readonly context: AgentContext;
  readonly #clients: (Client & AsyncDisposable)[] = [];

  private constructor(bus: BusServer, tools: ToolsServer) {
    this.bus = bus;
    this.tools = tools;
    const work_folder = join(bus.journal, "agents", agentId, "work");
    this.context = { agent_id: agentId, kind: "subagent", work_folder, may_write: [] };
  }

  static async start(): Promise<AgentsService> {
    const bus = await BusServer.start();
    const service = new AgentsService(bus, await startTools(bus.journal));
    mkdirSync(join(bus.journal, "agents", agentId), { recursive: true });
    const agents = await bus.as("agents");
    answerCalls(agents, {
      tool: async (call) => service.#answer(call),
      command: async () => ({ ok: false, error: "no command is known here" }),
      onProblem: (error) => {
        throw error;
      },
    });
    await agents.connection.flush();
    return service;
  }

  get journal(): string {
    return this.bus.journal;
  }

  /** A client with the token of a run, which holds every answer against the tools' output schemas. */
  async client(tools: readonly string[], run = runId): Promise<Client & AsyncDisposable> {
    const client = await connect(this.tools.url, await issueToken(this.journal, run, tools));
    this.#clients.push(client);
    await client.listTools();
    return client;
  }

  #answer(call: ToolCall): AgentAnswer {
    if (call.tool === "context") return { ok: true, result: this.context };
    this.calls.push(call);
    return this.answers.get(call.tool) ?? { ok: false, error: `${call.tool}: nobody knows` };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#clients) await client[Symbol.asyncDispose]();
    await this.tools[Symbol.asyncDispose]();
    await this.bus[Symbol.asyncDispose]();
  }
}

/** Calls a tool as the call of an id: its text, and whether it is an error. */
export async function callAs(
  client: Client,
  id: string,
  name: string,
  args: Record<string, unknown>,
): Promise<{ text: string; isError: boolean }> {
  const result = await client.callTool({ name, arguments: args, _meta: { "cortex/call_id": id } });
  const { content, isError } = CallToolResultSchema.parse(result);
  const [first] = content;
  return { text: first?.type === "text" ? first.text : "", isError: isError === true };
}
