/** A session's conversation with a long-lived agent: as long as it is open, the editor is one of the agent's terminals. */
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { TurnOf } from "../../bus/agents/turn-of.ts";
import { RunFeed } from "../../bus/events/run-feed.ts";
import type { Bus } from "../../bus/connection/connect.ts";
import { messagePlace } from "../../journal/agents/message-place.ts";
import { owningAgents } from "../../journal/agents/owning-agent.ts";
import { followedFiles } from "../../journal/runs/followed-files.ts";
import { runState } from "../../journal/runs/run-files.ts";
import { AgentNews } from "../../protocol/agents/agent-event.ts";
import { isNotice, type OutboundMessage } from "../../protocol/agents/channel.ts";
import { type AgentEvent, isTerminal } from "../../protocol/runs/event.ts";
import { isRecord } from "../../protocol/json/json-object.ts";
import { tryParseJson } from "../../protocol/json/parse-json.ts";
import { subjects } from "../../protocol/runs/subjects.ts";
import type { AgentLink } from "../base/acp-deps.ts";
import { UnheardError } from "../base/request-error.ts";
import { agentOfMode } from "../choices/modes.ts";
import type { PromptContent } from "../content/prompt-content.ts";
import { questionInWords } from "../updates/question.ts";
import { fileLinks } from "../updates/shown-files.ts";
import type { SessionContext } from "./session-context.ts";
import { takingBack } from "./stop-turn.ts";

/** Milliseconds between looks whether all that was said is told. */
const lookMs = 50;
/** Milliseconds after which a bus that doesn't answer is asked again. */
const awayMs = 1000;

export class AgentTalk implements Disposable {
  readonly #session: SessionContext;
  readonly #link: AgentLink;
  readonly #owner: Bus;
  readonly #sources = new DisposableStack();
  /** Aborted: nothing more is told. */
  readonly #over = new AbortController();
  /** Replies since the user has said something. */
  #replies = 0;

  private constructor(session: SessionContext, link: AgentLink, owner: Bus) {
    this.#session = session;
    this.#link = link;
    this.#owner = owner;
    this.#sources.use(link);
    this.#sources.defer(() => this.#over.abort());
    const decided = owner.connection.subscribe(subjects.agentEvent("*", "permission_decided"), {
      callback: (_, message) => {
        const token = AgentNews.safeParse(tryParseJson(message.string())).data?.["token"];
        if (typeof token === "string") session.permissions.forget(token);
      },
    });
    this.#sources.defer(() => decided.unsubscribe());
    const { signal } = this.#over;
    void this.#tellReplies(signal).catch((error: unknown) => {
      if (signal.aborted) return;
      session.deps.log.error({ err: error }, "replies can't be told any more");
      this.#over.abort();
    });
  }

  /** @throws NothingRunsError */
  static async open(session: SessionContext): Promise<AgentTalk> {
    const { deps, record } = session;
    const owner = await deps.owner();
    return new AgentTalk(session, await deps.openLink(agentOfMode(record.mode)), owner);
  }

  [Symbol.dispose](): void {
    this.#sources[Symbol.dispose]();
  }

  get agentId(): string {
    return this.#link.agentId;
  }

  /**
   * Says something to the agent. Resolves with the terminal event of the turn that hears it, when its replies are told.
   * @param cancel takes it back, or stops the turn
   * @throws UnheardError where no turn hears it
   */
  async prompt({ text, attachments }: PromptContent, cancel: AbortSignal): Promise<AgentEvent> {
    const { journal } = this.#session.deps;
    const id = `acp-${randomUUID()}`;
    const placeOf = (item: string) => messagePlace(journal, this.agentId, item);
    using turn = new TurnOf({ bus: this.#owner, agent: this.agentId, placeOf }, `cli:${id}`);
    await this.#owner.connection.flush();
    this.#replies = 0;
    const item = await this.#link.sendText(text, attachments, id);
    using _withdrawal = takingBack(this.#session.deps, this.agentId, item, cancel);
    const begin = await turn.begun;
    if ("unheard" in begin) throw new UnheardError(begin.unheard);
    const { run } = begin;
    using _turn = this.#session.turns.begin(this.agentId, run, this.#session.record.id);
    await this.#session.keep(({ runs }) => ({ runs: [...runs, run] }));
    const end = await this.#followTurn(run, turn);
    await this.#untilTold();
    return end;
  }

  /** Resolves when all that was said by now is told, or nothing is told any more. */
  async #untilTold(): Promise<void> {
    const isRead = async () => {
      try {
        return await this.#link.isRead();
      } catch (error) {
        this.#session.deps.log.warn({ err: error }, "it isn't known yet whether all replies are told");
        await delay(awayMs);
        return false;
      }
    };
    while (!this.#over.signal.aborted && !(await isRead())) await delay(lookMs);
  }

  async #followTurn(run: string, turn: TurnOf): Promise<AgentEvent> {
    const { journal } = this.#session.deps;
    const feed = new RunFeed(this.#owner.connection, run, followedFiles(journal).fileOf);
    // A turn that was stopped before it was asked for has no run.
    void turn.ended.then(() => runState(journal, run) === "absent" && feed.close());
    let end: AgentEvent | null = null;
    for await (const event of feed.events()) {
      await this.#session.tell(event);
      if (isTerminal(event)) end = event;
    }
    const failure = await turn.ended;
    if (end) return end;
    const { error, reason } = failure ?? { error: "its turn was stopped before it began", reason: "cancelled" };
    return { event: "error", ts: Date.now(), agent_id: run, seq: 1, error, reason };
  }

  async #tellReplies(signal: AbortSignal): Promise<void> {
    for await (const message of this.#link.replies(signal, (one) => this.#isOwn(one))) {
      const { turns, record, permissions } = this.#session;
      const asked = message.metadata?.["permission"];
      if (!isRecord(asked) || typeof asked["token"] !== "string") {
        if (!turns.isOfAnother(message.run_id, record.id)) await this.#tellReply(message);
      } else if (message.agent_id !== this.agentId || !turns.isUnderWay(this.agentId))
        permissions.ask(asked["token"], questionInWords(asked["token"], String(asked["text"])));
    }
  }

  /** Whether a message is of this agent, or asks for one of its tasks. */
  #isOwn({ agent_id: agent, metadata }: OutboundMessage): boolean {
    if (agent === undefined || isNotice({ metadata })) return false;
    return agent === this.agentId || owningAgents(this.#session.deps.journal)(agent)?.id === this.agentId;
  }

  async #tellReply({ id, text, attachments = [] }: OutboundMessage): Promise<void> {
    const apart = this.#replies++ === 0 ? text : `\n\n${text}`;
    const parts = attachments.map((file) => ({ type: "file", ...file }));
    const blocks = [{ type: "text" as const, text: apart }, ...fileLinks(this.#session.deps.journal, parts)];
    await this.#session.out.send(
      blocks.map((content) => ({ sessionUpdate: "agent_message_chunk", messageId: id, content })),
    );
  }
}
