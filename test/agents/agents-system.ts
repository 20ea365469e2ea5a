/** A whole `cortex up` whose agents think with a played model, and a test that speaks to them by channels of its own. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { callCommand } from "../../bus/agents/agent-calls.ts";
import { storedOutbound } from "../../bus/agents/channels.ts";
import { publishInbound, publishReceipt } from "../../bus/agents/inbound.ts";
import { type Bus, openBus } from "../../bus/connection/connect.ts";
import { addressAs, readBusAccess, readEndpoints } from "../../journal/access/endpoints.ts";
import { keptDocument } from "../../journal/run-folders/run-folder.ts";
import { parseLines } from "../../files/lines/text-records.ts";
import { AgentState, HistoryRecord } from "../../protocol/agents/agent-files.ts";
import type { AgentNews } from "../../protocol/agents/agent-event.ts";
import type { Channel, InboundMessage, OutboundMessage, Receipt } from "../../protocol/agents/channel.ts";
import { callTool, connect } from "../mcp-tools/tools-server.ts";
import { programNames, type Up, UpJournal } from "../supervisor/up-process.ts";
import { hasEnded } from "../support/journal-processes.ts";
import { type PlayedAnthropic, startAnthropic } from "../support/providers/anthropic.ts";
import type { PlayedTurn, Reply } from "../support/providers/played.ts";
import { type Conversation, conversationIn } from "./conversation.ts";
import { patienceMs } from "../support/patience.ts";

/** The answer of the played model to a conversation. */
export type Mind = (conversation: Conversation) => PlayedTurn | Reply | Promise<PlayedTurn | Reply>;

export class AgentsSystem implements AsyncDisposable {
  readonly up: UpJournal;
  readonly model: PlayedAnthropic;
  /** The conversations that the model was asked, in order. */
  readonly asked: Conversation[] = [];
  readonly news: AgentNews[] = [];
  /** The faults of what the model was asked. */
  readonly wrong: string[];
  #top: Up;
  readonly #buses: Bus[] = [];
  readonly #adapters = new Map<string, Adapter>();

  private constructor({ up, top, model, asked, wrong, minds }: Parts) {
    this.#minds = minds;
    this.#top = top;
    this.up = up;
    this.model = model;
    this.asked = asked;
    this.wrong = wrong;
  }

  /** The answers of the model where one of these words was said. */
  readonly #minds: Map<string, Mind>;

  /**
   * @param settings of the journal; each space of its channels has an agent of its own unless they say otherwise
   * @param files what else the journal has, by path
   * @param env what its programs have in their environment beside the usual
   * @param prepare writes into the journal before anything runs
   */
  static async start(
    settings: Record<string, unknown> = {},
    files: Record<string, string> = {},
    env: Record<string, string> = {},
    prepare: (journal: string) => void = () => {},
  ): Promise<AgentsSystem> {
    const minds = new Map<string, Mind>();
    const mind: Mind = (conversation) => {
      const said = conversation.said.join("\n");
      const key = minds.keys().find((word) => said.includes(word));
      return minds.get(key ?? "")?.(conversation) ?? { text: "I have no mind of this." };
    };
    const asked: Conversation[] = [];
    const wrong: string[] = [];
    const read = (body: unknown) => {
      try {
        return conversationIn(body);
      } catch (error) {
        wrong.push(String(error));
        throw error;
      }
    };
    const model = await startAnthropic([], {
      answer: async (body) => {
        const conversation = read(body);
        asked.push(conversation);
        const thought = await mind(conversation);
        return "turn" in thought || "status" in thought || "silent" in thought ? thought : { turn: thought };
      },
    });
    const channels = {
      web: { enabled: false },
      alpha: { external: true },
      beta: { external: true },
      gamma: { external: true },
    };
    const owners = ["alpha", "beta", "gamma"].map((type) => `${type}:owner`);
    const up = new UpJournal(
      {
        default_backend: "anthropic",
        channels,
        agents: { join_window_ms: 0, owners, binding: "perChannel" },
        ...settings,
      },
      { ANTHROPIC_API_KEY: "sk-ant-of-nobody", ANTHROPIC_BASE_URL: model.url, ...env },
    );
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(up.path, path)), { recursive: true });
      writeFileSync(join(up.path, path), text);
    }
    prepare(up.path);
    const top = up.start();
    const system = new AgentsSystem({ up, top, model, asked, wrong, minds });
    try {
      await top.isUp();
      const owner = await system.as("owner");
      owner.connection.subscribe("agent.event.>", { callback: (_, message) => void system.news.push(message.json()) });
      await owner.connection.flush();
    } catch (error) {
      await system[Symbol.asyncDispose]();
      throw error;
    }
    return system;
  }

  /** Sets the answers of the model to conversations in which this word was said. */
  think(word: string, mind: Mind): void {
    this.#minds.set(word, mind);
  }

  /** Lists what the model was asked in conversations with this word. */
  askedOf(word: string): Conversation[] {
    return this.asked.filter(({ said }) => said.join("\n").includes(word));
  }

  /** Waits until so many turns of an agent have ended. */
  async turns(agentId: string, count: number): Promise<void> {
    const ended = () =>
      this.news.filter(({ event, agent_id }) => event === "turn_ended" && agent_id === agentId).length;
    await this.until(() => ended() >= count, `${count} turns of ${agentId}`);
  }

  /** Waits until this is told of an agent. */
  async told(agentId: string, event: AgentNews["event"], of: (news: AgentNews) => boolean = () => true) {
    const isIt = (news: AgentNews) => news.event === event && news.agent_id === agentId && of(news);
    return this.until(() => this.news.find(isIt), `${event} of ${agentId}`);
  }

  /** The agent that owners speak to in a space. */
  main(channelId: string, type = "alpha"): Promise<string> {
    return this.agentOf({ type, channelId, userId: "owner" });
  }

  get journal(): string {
    return this.up.path;
  }

  /** A connection of one of the bus's users. */
  async as(user: string): Promise<Bus> {
    const access = readBusAccess(this.journal);
    if (!access) throw new Error("no bus");
    const bus = await openBus(addressAs(access, user), user, patienceMs);
    this.#buses.push(bus);
    return bus;
  }

  /** A channel, on which the test says something and hears what is replied. */
  async channel(type: string): Promise<Adapter> {
    const known = this.#adapters.get(type);
    if (known) return known;
    const adapter = new Adapter(type, await this.as(`channel-${type}`), this.up);
    this.#adapters.set(type, adapter);
    return adapter;
  }

  /** Calls a tool as a run that goes on would, whatever that run's process says of the tools that there are. */
  async callAs(run: string, tool: string, args: Record<string, unknown>): Promise<{ text: string; isError: boolean }> {
    const { mcp_token: token } = keptDocument(this.journal, run, "run") as { mcp_token: string };
    await using client = await connect(readEndpoints(this.journal)?.mcp_url ?? "", token);
    return await callTool(client, tool, args);
  }

  async command(command: string, args: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    const answer = await callCommand(await this.as("owner"), { command, args });
    if (!answer.ok) throw new Error(answer.error);
    return answer.result;
  }

  /** Reads an agent's history, all of it. Of one that isn't made yet there is none. */
  history(agentId: string): HistoryRecord[] {
    const path = join(this.journal, "agents", agentId, "history.jsonl");
    return existsSync(path) ? parseLines(readFileSync(path), HistoryRecord) : [];
  }

  state(agentId: string): AgentState {
    return AgentState.parse(JSON.parse(readFileSync(join(this.journal, "agents", agentId, "state.json"), "utf8")));
  }

  /** Lists the messages of the system in an agent's conversation. */
  systemMessages(agentId: string): string[] {
    return this.history(agentId).flatMap((record) => (record.type === "system" ? [record.text] : []));
  }

  /** The first task that was sent off in conversations with this word. */
  async task(word: string): Promise<string> {
    const isSpawned = ({ tool, isError }: Conversation["results"][number]) => tool === "spawn_subagent" && !isError;
    const spawned = () =>
      this.askedOf(word)
        .flatMap(({ results }) => results)
        .find(isSpawned);
    const { text } = await this.until(spawned, `a task of ${word}`);
    return String(JSON.parse(text).taskId);
  }

  /** The agent to whom a channel speaks. */
  async agentOf(channel: Channel): Promise<string> {
    return String((await this.command("agents find", { channel }))["agent_id"]);
  }

  async until<T>(ask: () => T, what: string, ms = patienceMs): Promise<NonNullable<Exclude<T, false>>> {
    return this.up.until(ask, what, ms);
  }

  /** Kills the agents' service with -9, and waits until another has taken its place. */
  async killAgents(): Promise<void> {
    const { agents: pid } = this.up.pids();
    process.kill(Number(pid), "SIGKILL");
    await this.until(() => this.up.pids()["agents"] !== pid && this.up.isReady("agents"), "the agents are back");
  }

  /** The processes of programs; of the supervisor too. */
  pidOf(program: string): number {
    return program === "supervisor" ? this.#top.pid : (this.up.pids()[program] ?? 0);
  }

  /** Starts the supervisor again, if it has ended. Resolves when all programs are ready. */
  async restart(): Promise<void> {
    if (hasEnded(this.#top.pid)) {
      this.#top = this.up.start();
      await this.#top.isUp();
    }
    await this.until(() => programNames.every((name) => this.up.isReady(name)), "all programs are ready", 120_000);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const adapter of this.#adapters.values()) adapter.stop();
    for (const bus of this.#buses) await bus[Symbol.asyncDispose]();
    await this.up[Symbol.asyncDispose]();
    await this.model[Symbol.asyncDispose]();
  }
}

type Parts = Pick<AgentsSystem, "up" | "model" | "asked" | "wrong"> & { top: Up; minds: Map<string, Mind> };

/** Plays the adapter of a channel: delivers everything, and says so, unless told otherwise. */
export class Adapter {
  readonly replies: OutboundMessage[] = [];
  /** The receipt of a delivery; null: nothing at all. */
  receipt: (message: OutboundMessage) => { ok: boolean; error?: string } | null = () => ({ ok: true });
  readonly #type: string;
  readonly #bus: Bus;
  readonly #up: UpJournal;
  readonly #stopping = new AbortController();
  #count = 0;

  constructor(type: string, bus: Bus, up: UpJournal) {
    this.#type = type;
    this.#bus = bus;
    this.#up = up;
    void this.#listen();
  }

  /** Says something, and returns the message's id. */
  async say(
    text: string,
    more: Partial<Channel> & Pick<InboundMessage, "metadata" | "attachments" | "edits"> & { id?: string } = {},
  ) {
    const { id = `${this.#type}-${++this.#count}`, metadata, attachments, edits, ...channel } = more;
    await publishInbound(this.#bus, {
      id,
      text,
      channel: { type: this.#type, channelId: "room", userId: "owner", ...channel },
      ...(metadata && { metadata }),
      ...(edits !== undefined && { edits }),
      ...(attachments && { attachments }),
    });
    return id;
  }

  /** Waits until a reply has come that says this. */
  async heard(text: string | RegExp, ms = patienceMs): Promise<OutboundMessage> {
    const says = (one: OutboundMessage) => (typeof text === "string" ? one.text === text : text.test(one.text));
    return this.#up.until(() => this.replies.find(says), `${this.#type} hears ${String(text)}`, ms);
  }

  stop(): void {
    this.#stopping.abort();
  }

  /** Until it is stored: the bus may be away. */
  async #confirm(id: string, receipt: Receipt): Promise<void> {
    while (!this.#stopping.signal.aborted)
      try {
        return void (await publishReceipt(this.#bus, id, receipt));
      } catch (error) {
        if (this.#bus.connection.isClosed()) throw error;
      }
  }

  async #listen(): Promise<void> {
    try {
      for await (const { message } of storedOutbound(this.#bus, this.#type, 1, this.#stopping.signal)) {
        this.replies.push(message);
        const receipt = this.receipt(message);
        if (receipt) await this.#confirm(message.id, receipt);
      }
    } catch (error) {
      if (!this.#stopping.signal.aborted && !this.#bus.connection.isClosed()) throw error;
    }
  }
}
