/**
 * The questions of a conversation that aren't answered yet, in the order in which they were asked. y, n or always, typed
 * alone, answers the first; a later one waits until then, so that no answer goes to another question than the one before it.
 */
import type { OutboundMessage } from "../../protocol/agents/channel.ts";
import { isRecord } from "../../protocol/json/json-object.ts";

export type Answer = { id: string; decision: "allow" | "deny"; always: boolean };
export type Question = { id: string; isForAlways: boolean; text: string };

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
    if ((open && !open.includes(id)) || this.has(id)) return null;
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

  /** The ids, in the order in which they were asked. */
  get ids(): string[] {
    return this.#waiting.map(({ id }) => id);
  }

  has(id: string): boolean {
    return this.#waiting.some((one) => one.id === id);
  }

  /** Forgets one that is decided. Returns it, where it waited. */
  forget(id: string): Question | null {
    const question = this.#waiting.find((one) => one.id === id) ?? null;
    this.#waiting = this.#waiting.filter((one) => one !== question);
    return question;
  }

  /** The first, to be shown once more, and how it can be answered. Null: none waits. */
  get first(): { text: string; hint: string } | null {
    const [first] = this.#waiting;
    return first ? { text: first.text, hint: hintOf(first) } : null;
  }
}

const hintOf = ({ isForAlways }: Question) =>
  `y allows it, n denies it${isForAlways ? ", always allows it and keeps that rule" : ""}`;
