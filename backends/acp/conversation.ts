/** A run's conversation with an agent: its session, then a turn for the prompt and for what is said meanwhile, up to the answer. */
import {
  type ContentBlock,
  type InitializeResponse,
  type McpServer,
  PROTOCOL_VERSION,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionNotification,
} from "@agentclientprotocol/sdk";
import { RunFailure } from "../provider/failure.ts";
import { conversationRecord } from "../loop/context/conversation-record.ts";
import { initialMessages } from "../loop/context/initial-messages.ts";
import { ShownFiles } from "../loop/files/shown-files.ts";
import type { Run } from "../loop/run/run.ts";
import type { AgentConnection, SessionListener } from "./agent-connection.ts";
import { type OpenSession, openSession, type SessionRecord } from "./agent-session.ts";
import type { AgentSetup } from "./agent-setup.ts";
import { EventMapper } from "./event-mapper.ts";
import { agentFailure, stopFailure } from "./failures.ts";
import { PermissionBridge, serverName } from "./permission-bridge.ts";
import { promptBlocks, takesMedia, textBlock } from "./prompt-blocks.ts";
import { setOptions, type Wish } from "./session-options.ts";
import { sumOfTurns, type TurnUsage, turnUsage } from "./usage.ts";

/** Time for an agent to end its turn, once it is cancelled, in ms. */
const cancelMs = 1_500;

const goOn = "(Go on from where the conversation stops.)";

export type ConversationSettings = { agent: string; model: string; folder: string; setup: AgentSetup };

type Prompt = { blocks: ContentBlock[]; inputs: string[] };

export class Conversation implements SessionListener {
  readonly #run: Run;
  readonly #settings: ConversationSettings;
  readonly #events: EventMapper;
  readonly #bridge: PermissionBridge;
  /** Whether what the agent says is new: a session that is loaded is told once more. */
  #isLive = false;
  #files: ShownFiles;
  #used: TurnUsage | null = null;
  #inputs = 0;

  constructor(run: Run, settings: ConversationSettings) {
    const { agent, model, setup } = settings;
    this.#run = run;
    this.#settings = settings;
    this.#events = new EventMapper(run, model);
    this.#files = new ShownFiles(run.config.attachments_folder, () => false, []);
    this.#bridge = new PermissionBridge({
      agent,
      config: run.config,
      titleIsCommand: setup.titleIsCommand === true,
      calls: this.#events.calls,
      signal: run.signal,
    });
  }

  async update({ update }: SessionNotification): Promise<void> {
    if (this.#isLive) await this.#events.handle(update);
  }

  permission(request: RequestPermissionRequest): Promise<RequestPermissionResponse> {
    return this.#bridge.decide(request);
  }

  /** Runs up to the `finish` event. @throws RunFailure */
  async hold(connection: AgentConnection): Promise<void> {
    try {
      const session = await this.#open(connection);
      this.#isLive = true;
      const answer = await this.#takeTurns(connection, session);
      this.#isLive = false;
      await this.#finish(session, answer);
    } catch (error) {
      this.#isLive = false;
      await this.#events.emitSaid();
      throw this.#run.signal.aborted ? error : agentFailure(this.#settings.agent, error, connection.said);
    }
  }

  async #open(connection: AgentConnection): Promise<OpenSession> {
    const { config, environment, signal, emit } = this.#run;
    const { folder, setup, agent } = this.#settings;
    const clientInfo = { name: "cortex", title: "Cortex", version: "1" };
    const hello = { protocolVersion: PROTOCOL_VERSION, clientCapabilities: {}, clientInfo };
    const agentIs = await connection.request("initialize", hello, signal);
    if (agentIs.protocolVersion !== PROTOCOL_VERSION)
      throw new RunFailure(
        "config",
        `${agent} speaks version ${agentIs.protocolVersion} of ACP, not ${PROTOCOL_VERSION}`,
      );
    const takes = (mime: string) => takesMedia(agentIs.agentCapabilities?.promptCapabilities ?? {}, mime);
    this.#files = new ShownFiles(config.attachments_folder, takes, []);
    if (setup.login) await connection.request("authenticate", { methodId: setup.login }, signal);
    const mcpServers = await this.#toolServers(agentIs);
    const session = await openSession(connection, agentIs, { config, environment, folder, mcpServers, signal });
    const problems = await setOptions(connection, session.id, session.offered, this.#wishes(), signal);
    if (session.loss !== undefined)
      await emit({ event: "info", message: `the conversation goes on from its record: ${session.loss}` });
    for (const message of problems) await emit({ event: "info", message });
    return session;
  }

  /** Our tool server, for agents that reach one over HTTP: behind it are the outside ones, too. */
  async #toolServers({ agentCapabilities }: InitializeResponse): Promise<McpServer[]> {
    const { mcp_server_url: url, mcp_token: token, tools = [] } = this.#run.config;
    if (url === undefined || tools.length === 0) return [];
    if (!agentCapabilities?.mcpCapabilities?.http) {
      const message = `${this.#settings.agent} takes no tool server over HTTP: it has its own tools alone`;
      await this.#run.emit({ event: "info", message });
      return [];
    }
    const headers = token === undefined ? [] : [{ name: "Authorization", value: `Bearer ${token}` }];
    return [{ type: "http", name: serverName, url, headers }];
  }

  #wishes(): Wish[] {
    const { setup } = this.#settings;
    const { mode = setup.mode, model, effort } = this.#run.config;
    const wishes: Wish[] = [];
    if (model !== undefined && !setup.hasModel) wishes.push({ category: "model", value: model });
    if (mode !== undefined) wishes.push({ category: "mode", value: mode });
    if (effort !== undefined) wishes.push({ category: "thought_level", value: effort });
    return wishes;
  }

  /** Words that a session is told first: a new one all that was said before it, one that goes on what it doesn't know. */
  async #firstPrompt(session: OpenSession): Promise<Prompt> {
    const { config } = this.#run;
    const { history, prompt: text = goOn, parts } = initialMessages(config);
    const shown = await this.#files.show([...history, { role: "user", text, ...(parts && { parts }) }]);
    const asked = shown.slice(-1);
    const before = session.former ? [] : shown.slice(0, -1);
    const record = before.length === 0 ? [] : [textBlock(conversationRecord(before))];
    const media = before.flatMap((message) => message.media ?? []);
    const words = [session.former ? "" : (config.instruction ?? ""), config.extra_context ?? ""].filter(
      (one) => one !== "",
    );
    return {
      blocks: [
        ...words.map(textBlock),
        ...promptBlocks(media.length > 0 ? [{ role: "user", media }] : []),
        ...record,
        ...promptBlocks(asked),
      ],
      inputs: [...(config.former_inputs ?? [])],
    };
  }

  async #takeTurns(connection: AgentConnection, session: OpenSession): Promise<string> {
    const { agent } = this.#settings;
    for (let prompt = await this.#firstPrompt(session); ; ) {
      const reason = await this.#turn(connection, session, prompt.blocks);
      const answer = await this.#events.takeAnswer();
      for (const id of prompt.inputs) await this.#run.emit({ event: "input_taken", id });
      const denied = this.#bridge.takeDenied();
      const isStopped = denied.length > 0 && (reason === "cancelled" || answer.trim() === "");
      const failure = isStopped ? null : stopFailure(agent, reason, answer);
      const next = failure ? null : await this.#nextPrompt(isStopped ? denied : []);
      if (failure === null && next === null) return answer;
      if (answer.trim() !== "") await this.#run.emit({ event: "text", text: answer });
      if (failure) throw failure;
      if (next) prompt = next;
    }
  }

  /** Takes what is said next; null: nothing, the answer is the run's. @param denied what an agent that stops when it is denied a call wasn't told */
  async #nextPrompt(denied: readonly string[]): Promise<Prompt | null> {
    const said = this.#run.inbox.takeInputs();
    this.#inputs += said.length;
    if (said.length === 0 && denied.length === 0) return null;
    const shown = await this.#files.show(
      said.map(({ text, parts }) => ({ role: "user", text, ...(parts && { parts }) })),
    );
    return {
      blocks: [...denied.map((why) => textBlock(`${why} Go on without it.`)), ...promptBlocks(shown)],
      inputs: said.flatMap(({ id }) => id ?? []),
    };
  }

  async #turn(connection: AgentConnection, session: OpenSession, prompt: ContentBlock[]) {
    const { signal, emit } = this.#run;
    const before = this.#events.sessionCost ?? session.former?.cost_usd ?? 0;
    const ended = new AbortController();
    const asked = connection.request("session/prompt", { sessionId: session.id, prompt }, ended.signal);
    const cancel = () => {
      setTimeout(() => ended.abort(signal.reason), cancelMs).unref();
      connection.cancel(session.id).catch(() => {});
    };
    signal.addEventListener("abort", cancel, { once: true });
    if (signal.aborted) cancel();
    try {
      const answer = await asked;
      const used = turnUsage(answer);
      this.#used = sumOfTurns(this.#used, used);
      const cost = this.#events.sessionCost;
      const cost_usd = cost === null ? null : Math.max(0, cost - before);
      if (used || cost_usd !== null) await emit({ event: "usage", model: this.#settings.model, ...used, cost_usd });
      signal.throwIfAborted();
      return answer.stopReason;
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  }

  async #finish({ id, former }: OpenSession, answer: string): Promise<void> {
    const { model, folder, agent } = this.#settings;
    if (answer.trim() === "") throw new RunFailure("provider", `${agent} answered with nothing`, { detail: "empty" });
    const { sessionCost } = this.#events;
    const record: SessionRecord = { session_id: id, folder, turns: (former?.turns ?? 0) + 1, cost_usd: sessionCost };
    await this.#run.emit({ event: "thinking", model, opaque: record });
    const cost_usd = sessionCost === null ? null : Math.max(0, sessionCost - (former?.cost_usd ?? 0));
    const usage = this.#used || cost_usd !== null ? { usage: { model, ...this.#used, cost_usd } } : {};
    const inputs = this.#inputs > 0 ? { inputs: this.#inputs } : {};
    await this.#run.emit({ event: "finish", result: answer, ...usage, ...inputs, session_id: id });
  }
}
