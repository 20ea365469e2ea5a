/** The question that was asked last in a conversation, as long as it isn't answered here: y, n or always, typed alone, is its answer. */
import type { OutboundMessage } from "../../protocol/agents/channel.ts";
import { isRecord } from "../../protocol/json/json-object.ts";

type Answer = { id: string; decision: "allow" | "deny"; always: boolean };

const answers: Record<string, Omit<Answer, "id">> = {
  y: { decision: "allow", always: false },
  yes: { decision: "allow", always: false },
  n: { decision: "deny", always: false },
  no: { decision: "deny", always: false },
  always: { decision: "allow", always: true },
};

export class AskedQuestion {
  #open: { id: string; isForAlways: boolean } | null = null;

  /**
   * Takes what was said. Returns how it can be answered, where it asks.
   * @param open ids of the questions that wait; without it, it has just been asked
   */
  hearMessage({ metadata }: Pick<OutboundMessage, "metadata">, open?: readonly string[]): string | null {
    const asked = metadata?.["permission"];
    if (!isRecord(asked) || typeof asked["token"] !== "string") return null;
    if (open && !open.includes(asked["token"])) return null;
    this.#open = { id: asked["token"], isForAlways: asked["always"] === true };
    return `y allows it, n denies it${this.#open.isForAlways ? ", always allows it and keeps that rule" : ""}`;
  }

  /** The answer that a typed line is, or null: then it is something to say. */
  takeAnswer(line: string): Answer | null {
    const word = line.trim().toLowerCase();
    const answer = Object.hasOwn(answers, word) ? answers[word] : undefined;
    if (!this.#open || !answer || (answer.always && !this.#open.isForAlways)) return null;
    const { id } = this.#open;
    this.#open = null;
    return { id, ...answer };
  }
}
