/**
 * The questions of a conversation that aren't answered yet, in the order in which they were asked. y, n or always, typed
 * alone, answers the first; a later one waits until then, so that no answer goes to another question than the one before it.
 */
import type { OutboundMessage } from "../../protocol/agents/channel.ts";
import { isRecord } from "../../protocol/json/json-object.ts";

type Answer = { id: string; decision: "allow" | "deny"; always: boolean };
type Question = { id: string; isForAlways: boolean; text: string };

const answers: Record<string, Omit<Answer, "id">> = {
  y: { decision: "allow", always: false },
  yes: { decision: "allow", always: false },
  n: { decision: "deny", always: false },
  no: { decision: "deny", always: false },
  always: { decision: "allow", always: true },
};

export class OpenQuestions {
  #waiting: Question[] = [];

  /**
   * Takes what was said. Returns how it can be answered, where it asks.
   * @param open ids of the questions that wait; without it, it has just been asked
   */
  hearMessage({ text, metadata }: Pick<OutboundMessage, "text" | "metadata">, open?: readonly string[]): string | null {
    const asked = metadata?.["permission"];
    if (!isRecord(asked) || typeof asked["token"] !== "string") return null;
    const { token: id } = asked;
    if ((open && !open.includes(id)) || this.#waiting.some((one) => one.id === id)) return null;
    const question = { id, isForAlways: asked["always"] === true, text };
    this.#waiting.push(question);
    return this.#waiting.length === 1 ? hintOf(question) : "the question before it is answered first";
  }

  /** The answer to the first that a typed line is, or null: then it is something to say. */
  answerOf(line: string): Answer | null {
    const word = line.trim().toLowerCase();
    const answer = Object.hasOwn(answers, word) ? answers[word] : undefined;
    const [first] = this.#waiting;
    return first && answer && (!answer.always || first.isForAlways) ? { id: first.id, ...answer } : null;
  }

  /** Forgets those that aren't open any more. Returns whether the first was one of them. */
  keepOpen(open: readonly string[]): boolean {
    const [first] = this.#waiting;
    this.#waiting = this.#waiting.filter(({ id }) => open.includes(id));
    return first !== undefined && first !== this.#waiting[0];
  }

  /** Forgets the first, which is answered. */
  forgetFirst(): void {
    this.#waiting.shift();
  }

  /** The first, to be shown once more, and how it can be answered. Null: none waits. */
  get first(): { text: string; hint: string } | null {
    const [first] = this.#waiting;
    return first ? { text: first.text, hint: hintOf(first) } : null;
  }
}

const hintOf = ({ isForAlways }: Question) =>
  `y allows it, n denies it${isForAlways ? ", always allows it and keeps that rule" : ""}`;
