/**
 * The work of the agent, in one line: what is waiting to be read, the turn that is under way and its tool, and cortex
 * being away.
 */
import type { AgentNews } from "../../protocol/agents/agent-event.ts";
import type { AgentEvent } from "../../protocol/runs/event.ts";
import { textField } from "../../protocol/runs/text-field.ts";
import { duration, shorten } from "../command/layout/text.ts";
import { asTyped } from "../command/typed-command.ts";

type TurnAtWork = { runId: string; since: number; tool: string | null; hasReplied: boolean };

export class WorkStatus {
  isAway = false;
  /** Our own messages that no turn has taken up yet, with when they were said. */
  readonly #unread = new Map<string, number>();
  /** Our own messages of whose turn nothing was heard since. */
  readonly #unanswered = new Set<string>();
  #turn: TurnAtWork | null = null;
  /** Counts what was said and heard of turns. */
  #steps = 0;

  get isAtWork(): boolean {
    return this.#turn !== null;
  }

  /** Something was said: an item of the agent's inbox. */
  said(item: string, at: number): void {
    this.#steps++;
    this.#unread.set(item, at);
    this.#unanswered.add(item);
  }

  hearNews(news: AgentNews): void {
    if (news.event === "turn_started" || news.event === "reset") this.#steps++;
    if (news.event === "turn_started" && news.run_id && this.#turn?.runId !== news.run_id)
      this.#turn = { runId: news.run_id, since: Date.now(), tool: null, hasReplied: false };
    if (news.event === "turn_started") for (const item of itemsOf(news)) this.#unread.delete(item);
    if (news.event === "reset") this.#unread.clear();
  }

  /**
   * Asks it whether it is at work, and once more where something was said or heard meanwhile: "idle", taken for true
   * after a turn has begun, would have the next message wait for its end instead of going into it.
   */
  async ask(isAtWork: () => Promise<boolean>): Promise<void> {
    for (;;) {
      const before = this.#steps;
      const answer = await isAtWork();
      if (this.#steps === before) return this.#isSaid(answer);
    }
  }

  #isSaid(isAtWork: boolean): void {
    if (isAtWork) this.#turn ??= { runId: "", since: Date.now(), tool: null, hasReplied: false };
    else {
      this.#turn = null;
      this.#unread.clear();
    }
  }

  hearRun(event: AgentEvent): void {
    if (!this.#turn) return;
    if (event.event === "tool_start") this.#turn.tool = textField(event, "tool");
    if (event.event === "tool_end") {
      if (textField(event, "tool") === "reply" && event["is_error"] !== true) this.#turn.hasReplied = true;
      this.#turn.tool = null;
    }
  }

  /** It was replied in a run. */
  replied(runId: string | undefined): void {
    if (this.#turn && this.#turn.runId === runId) this.#turn.hasReplied = true;
  }

  /** The turn is over. Returns whether it was about something that was said here, and nothing was replied. */
  ended(news: AgentNews): boolean {
    this.#steps++;
    const items = itemsOf(news);
    const isOurs = items.map((item) => this.#unanswered.delete(item)).includes(true);
    for (const item of items) this.#unread.delete(item);
    const wasSilent = this.#turn?.runId === news.run_id && !this.#turn?.hasReplied;
    this.#turn = null;
    return isOurs && wasSilent && news["ok"] !== false;
  }

  /** The line; null where there is nothing to tell. */
  line(now: number): string | null {
    const since = (at: number) => duration(now - at).replace(/\.\ds$/, "s");
    if (this.isAway) return asTyped("cortex is away: messages are sent when it is back (cortex up)");
    if (this.#turn) {
      const { tool, since: at } = this.#turn;
      return `${tool === null || tool === "reply" ? "thinking" : shorten(tool, 40)} · ${since(at)} · Esc stops it`;
    }
    const [oldest] = this.#unread.values();
    return oldest === undefined ? null : `not read yet · ${since(oldest)}`;
  }
}

const itemsOf = (news: AgentNews) => (Array.isArray(news["items"]) ? news["items"].map(String) : []);
