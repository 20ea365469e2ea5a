/**
 * The questions at a terminal: the oldest is the one that is shown and answered, then the next. One that is decided
 * elsewhere, or that nobody answered in time, leaves and says so.
 */
import { cleaned } from "../../proc/logging/terminal.ts";
import type { OutboundMessage } from "../../protocol/agents/channel.ts";
import { shorten } from "../command/layout/text.ts";
import type { ChatLink } from "./link.ts";
import { type Answer, OpenQuestions, type Question } from "./open-questions.ts";

type QuestionPromptsDeps = {
  link: Pick<ChatLink, "command" | "openQuestions">;
  say: (text: string) => void;
  /** Says something to the agent. */
  sendText: (text: string) => Promise<void>;
  dim?: (text: string) => string;
  /** Milliseconds. */
  now?: () => number;
};

/**
 * Milliseconds in which a question that has come up by itself is taken for unread: what is entered then was meant for the one
 * before it.
 */
const unreadMs = 1000;

export class QuestionPrompts {
  readonly #deps: QuestionPromptsDeps;
  readonly #dim: (text: string) => string;
  readonly #now: () => number;
  readonly #questions = new OpenQuestions();
  /** The question that is being answered here. */
  #answering: string | null = null;
  /** The question that was shown until another came up by itself, and when that was. */
  #before: { id: string; at: number } | null = null;

  constructor(deps: QuestionPromptsDeps) {
    this.#deps = deps;
    this.#dim = deps.dim ?? ((text) => text);
    this.#now = deps.now ?? Date.now;
  }

  /** Takes what was said, and says how it can be answered, where it asks. @param open ids of the questions that wait */
  hearMessage(message: Pick<OutboundMessage, "text" | "metadata">, open?: readonly string[]): void {
    const hint = this.#questions.hearMessage(message, open);
    if (hint !== null) this.#deps.say(this.#dim(hint));
  }

  /** The answer that a typed line is to the question that is shown now, or null: then it is something to say. */
  answerOf(line: string): Answer | null {
    const answer = this.#questions.answerOf(line);
    const isUnread = this.#before !== null && this.#now() - this.#before.at < unreadMs;
    return answer && this.#before && isUnread ? { ...answer, id: this.#before.id } : answer;
  }

  /**
   * Gives an answer to its question and to no other. Where that is decided by now, and none waits, the line is for the agent.
   * @throws CommandError when it can't be decided
   */
  async give(answer: Answer, line: string): Promise<void> {
    const { link, say, sendText } = this.#deps;
    await this.checkOpen();
    if (!this.#questions.has(answer.id)) {
      const { first } = this.#questions;
      if (!first) return sendText(line);
      return say(this.#dim(`· that was for the question before this one: ${first.hint}`));
    }
    this.#answering = answer.id;
    try {
      await link.command("permissions decide", answer);
    } catch (error) {
      await this.checkOpen().catch(() => {});
      throw error;
    } finally {
      this.#answering = null;
    }
    this.#questions.forget(answer.id);
    say(this.#dim(`· ${wordOf(answer)}`));
    this.#showFirst();
  }

  /** Hears that a question is decided, wherever that was. */
  takeDecision(id: string): void {
    if (id !== this.#answering) this.#forgetAll([id]);
  }

  /** Looks which of the questions are still open. */
  async checkOpen(): Promise<void> {
    const { ids } = this.#questions;
    if (ids.length === 0) return;
    const open = await this.#deps.link.openQuestions();
    // Of those that were there before: one that was asked meanwhile isn't in the list yet.
    this.#forgetAll(ids.filter((id) => !open.includes(id)));
  }

  #forgetAll(ids: readonly string[]): void {
    const [shown] = this.#questions.ids;
    for (const id of ids) {
      const question = this.#questions.forget(id);
      if (question) this.#deps.say(this.#dim(leftText(question)));
    }
    const [first] = this.#questions.ids;
    if (shown === undefined || first === undefined || first === shown) return;
    this.#before = { id: shown, at: this.#now() };
    this.#showFirst();
  }

  #showFirst(): void {
    const { first } = this.#questions;
    if (first) this.#deps.say(`\n${cleaned(first.text)}\n\n${this.#dim(first.hint)}`);
  }
}

const leftText = ({ text }: Question) =>
  `· decided elsewhere, or nobody answered in time: ${shorten(text.split("\n", 1)[0] ?? "", 80)}`;

function wordOf({ decision, always }: Answer): string {
  if (decision === "deny") return "denied";
  return always ? "allowed from now on" : "allowed once";
}
