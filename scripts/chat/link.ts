/** A conversation with one agent over the bus: what is said to it, what it replies, and what it does meanwhile. */
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { lastOutbound, storedOutbound } from "../../bus/agents/channels.ts";
import { ChannelFullError, MessageTooLargeError } from "../../bus/agents/inbound-refusals.ts";
import { publishInbound, publishReceipt } from "../../bus/agents/inbound.ts";
import type { Bus } from "../../bus/connection/connect.ts";
import { AgentNews } from "../../protocol/agents/agent-event.ts";
import type { QueueMode } from "../../protocol/agents/agents-settings.ts";
import type { Attachment, OutboundMessage } from "../../protocol/agents/channel.ts";
import { itemIdOf } from "../../protocol/agents/message-place.ts";
import { AgentEvent } from "../../protocol/runs/event.ts";
import { parseOwnJson } from "../../protocol/json/parse-json.ts";
import { subjects } from "../../protocol/runs/subjects.ts";
import { ShownReplies } from "../../journal/channels/shown-replies.ts";
import { failpoint } from "../../proc/programs/failpoint.ts";
import { askAgents } from "../command/agents-connection.ts";
import { exitCodes } from "../../protocol/runs/exit-codes.ts";
import { CommandError, usageError } from "../command/command.ts";
import { isForTerminalOf, UnseenReplies } from "./unseen-replies.ts";
import { newestOf, type WaitingReplies } from "./waiting-replies.ts";

export type ChatOptions = {
  journal: string;
  owner: Bus;
  channel: Bus;
  persona?: string | undefined;
  agent?: string | undefined;
};

/** The rest of what is said. Its id makes it once. */
export type Said = { mode?: QueueMode | undefined; attachments?: Attachment[]; id?: string };

/** Milliseconds after which it is looked again whether a lost connection is back. */
const lookMs = 100;

/** Milliseconds that another terminal may take to show what waits. */
const othersShowMs = 5000;

/** Places of the stream, the newest, in which replies that wait are looked for: each is looked up by itself. */
const placesLookedAt = 20_000;

const here = { type: "cli", channelId: "main" };

export class ChatLink implements Disposable {
  readonly agentId: string;
  readonly #options: ChatOptions;
  /** From where on what goes out is new. */
  readonly #from: number;
  /** Up to where it was read. */
  #position: number;
  readonly #shown: ShownReplies;
  /** Whether all before what is new was shown as well: what is new leaves nothing behind then. */
  #hasShownAll = false;

  private constructor(options: ChatOptions, agentId: string, from: number) {
    this.#options = options;
    this.agentId = agentId;
    this.#from = from;
    this.#position = from - 1;
    this.#shown = new ShownReplies(options.journal);
  }

  [Symbol.dispose](): void {
    this.#shown[Symbol.dispose]();
  }

  /** @throws CommandError when there is no such agent, or nobody answers */
  static async open(options: ChatOptions): Promise<ChatLink> {
    const { owner, channel, agent, persona } = options;
    if (agent !== undefined && persona !== undefined)
      throw usageError("--agent and --persona: give one of them", "an agent has its persona already");
    const found =
      agent === undefined
        ? await askAgents(owner, "agents find", { channel: here, ...(persona !== undefined && { persona }) }, "chat")
        : ((await askAgents(owner, "agents show", { agent_id: agent }, "chat"))["agent"] as Record<string, unknown>);
    return new ChatLink(options, String(found["agent_id"]), (await lastOutbound(channel, here.type)) + 1);
  }

  /** Says something. Resolves with the item's id, as the agent's events name it, when it is stored. */
  async sendText(text: string, { mode, attachments = [], id = randomUUID() }: Said = {}): Promise<string> {
    const { channel, persona, agent } = this.#options;
    const metadata = {
      verbatim: true,
      ...(persona !== undefined && { persona }),
      ...(agent !== undefined && { agent: this.agentId }),
      ...(mode && { mode }),
    };
    // Known by its id, it is said once, however often.
    const files = attachments.length > 0 && { attachments };
    const say = () => publishInbound(channel, { id, text, channel: here, metadata, ...files });
    await this.#throughAbsence(say).catch((error: unknown) => {
      throw asSentence(error);
    });
    return itemIdOf({ id, channel: here });
  }

  get journal(): string {
    return this.#options.journal;
  }

  /** Whether cortex can be reached. */
  get isConnected(): boolean {
    return this.#buses.every(({ isConnected }) => isConnected);
  }

  /** Calls back when cortex has gone away, and when it is back. */
  onConnection(callback: (isConnected: boolean) => void): void {
    let last = true;
    const look = () => {
      if (last !== this.isConnected) callback((last = this.isConnected));
    };
    for (const bus of this.#buses) {
      bus.onDisconnect(look);
      bus.onReconnect(look);
    }
  }

  get #buses(): Bus[] {
    return [this.#options.owner, this.#options.channel];
  }

  /** Does something on the channel's connection; what fails because that is lost is done again when it is back. */
  async #throughAbsence(act: () => Promise<unknown>): Promise<void> {
    const { channel } = this.#options;
    for (;;) {
      while (!channel.isConnected && !channel.connection.isClosed()) await delay(lookMs);
      try {
        return void (await act());
      } catch (error) {
        if (channel.isConnected || channel.connection.isClosed()) throw error;
      }
    }
  }

  /** Yields what the agent says here, and cortex about it. Each is confirmed when the next is asked for: then it was shown. */
  async *replies(signal: AbortSignal, isFor?: (message: OutboundMessage) => boolean): AsyncGenerator<OutboundMessage> {
    for await (const { position, message } of storedOutbound(this.#options.channel, here.type, this.#from, signal)) {
      const isShown = isFor ? isFor(message) : isForTerminalOf(this.agentId, message);
      if (isShown) {
        yield message;
        this.#shown.noteShown(message.id);
      }
      this.#position = position;
      if (this.#hasShownAll) this.#shown.noteUpTo(this.agentId, { position, id: message.id });
      if (isShown) await this.#confirm(message);
    }
  }

  /**
   * Gives what was sent here while no terminal was open to `show`. Killed after it was shown and before that is noted, it is
   * shown a second time: rather twice than never. A terminal that opens at the same moment waits, and has nothing left to show.
   */
  async showWaiting(show: (waiting: WaitingReplies) => void): Promise<void> {
    using lock = await this.#shown.lock(othersShowMs);
    if (!lock) return;
    const last = this.#from - 1;
    const unseen = new UnseenReplies({
      channel: this.#options.channel,
      type: here.type,
      agentId: this.agentId,
      shown: this.#shown,
    });
    const first = await unseen.firstPlace(last);
    const from = Math.max(first, last - placesLookedAt + 1);
    const waiting = await newestOf(unseen.between(from, last), from > first);
    const { replies } = waiting;
    if (replies.length > 0) show(waiting);
    failpoint("waiting-replies-shown");
    for (const { message } of replies) this.#shown.noteShown(message.id);
    if (last >= first) this.#shown.noteUpTo(this.agentId, { position: last, id: (await unseen.idAt(last)) ?? "" });
    this.#hasShownAll = true;
    for (const { message } of replies) await this.#confirm(message);
  }

  #confirm({ id }: OutboundMessage): Promise<void> {
    return this.#throughAbsence(() => publishReceipt(this.#options.channel, id, { ok: true }));
  }

  /** Whether all that has gone out by now was shown. */
  async isRead(): Promise<boolean> {
    return this.#position >= (await lastOutbound(this.#options.channel, here.type));
  }

  /** Hears what becomes of the agent. */
  onNews(callback: (news: AgentNews) => void): Promise<void> {
    return hearNews(this.#options.owner, subjects.agentEvent(this.agentId, "*"), callback);
  }

  /** Hears which questions are decided, of whichever agent: those of its tasks are asked here as well. */
  onDecision(callback: (id: string) => void): Promise<void> {
    return hearNews(this.#options.owner, subjects.agentEvent("*", "permission_decided"), ({ token }) =>
      callback(String(token)),
    );
  }

  /** Hears what a run says, until it is disposed of. */
  onRun(runId: string, callback: (event: AgentEvent) => void): Disposable {
    const subscription = this.#options.owner.connection.subscribe(subjects.events(runId), {
      callback: (error, message) => {
        const event = error ? null : AgentEvent.safeParse(parseOwnJson(message.string()));
        if (event?.success) callback(event.data);
      },
    });
    return { [Symbol.dispose]: () => subscription.unsubscribe() };
  }

  /** How the agent is. */
  async status(): Promise<Record<string, unknown> | null> {
    const shown = await this.command("agents find", this.#place);
    if (this.#options.agent === undefined) return (shown["agent"] as Record<string, unknown> | undefined) ?? null;
    return (await this.command("agents show", { agent_id: this.agentId }))["agent"] as Record<string, unknown>;
  }

  /** Gives the agent a command that every channel has, also before anything was said to it. Resolves with the answer. */
  async order(text: string): Promise<string> {
    const whom = this.#options.agent === undefined ? this.#place : { agent_id: this.agentId };
    return String((await this.command("agents order", { ...whom, text }))["text"]);
  }

  /** Where its agent is found by. */
  get #place(): Record<string, unknown> {
    const { persona } = this.#options;
    return { channel: here, ...(persona !== undefined && { persona }) };
  }

  command(command: string, args: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    return askAgents(this.#options.owner, command, args);
  }

  /** Ids of the questions that nobody has answered. */
  async openQuestions(): Promise<string[]> {
    const { permissions } = (await this.command("permissions list")) as { permissions: { id: string }[] };
    return permissions.map(({ id }) => id);
  }

  /** Its tasks that aren't over. */
  async runningTasks(): Promise<number> {
    const { tasks } = (await this.command("tasks list")) as { tasks: { parent?: string; status: string }[] };
    const isUnderWay = (status: string) => status === "running" || status === "queued";
    return tasks.filter(({ parent, status }) => parent === this.agentId && isUnderWay(status)).length;
  }
}

async function hearNews({ connection }: Bus, subject: string, callback: (news: AgentNews) => void): Promise<void> {
  connection.subscribe(subject, {
    callback: (error, message) => {
      const news = error ? null : AgentNews.safeParse(parseOwnJson(message.string()));
      if (news?.success) callback(news.data);
    },
  });
  await connection.flush();
}

/** An error of what couldn't be said, for the user to read. */
function asSentence(error: unknown): unknown {
  if (error instanceof MessageTooLargeError)
    return usageError(error.message, "write it into a file, and name the file", error);
  if (error instanceof ChannelFullError)
    return new CommandError(
      "full",
      error.message,
      "see what the agent is doing: cortex agents list",
      exitCodes.failed,
      {
        cause: error,
      },
    );
  return error;
}
