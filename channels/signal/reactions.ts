/** Questions that a reaction decides: those that are open, by the messages that ask them. */
import type { Outbox } from "../../journal/channels/outbox.ts";
import { listQuestions } from "../../journal/permissions/questions.ts";
import type { PermissionDecision } from "../../protocol/agents/channel.ts";

const mostShown = 1000;

/** The decision that a reaction is, in any tone of skin; null: it is none. */
export function decisionOf(emoji: string): PermissionDecision["decision"] | null {
  // A tone of skin stands behind it.
  if (emoji.startsWith("👍")) return "allow";
  return emoji.startsWith("👎") ? "deny" : null;
}

export class AskingMessages {
  readonly #journal: string;
  readonly #outbox: Pick<Outbox, "delivery">;
  /** Questions by the time at which they were sent, of this process: the outbox notes it a moment later. */
  readonly #sent = new Map<number, string>();

  constructor(journal: string, outbox: Pick<Outbox, "delivery">) {
    this.#journal = journal;
    this.#outbox = outbox;
  }

  sent(timestamp: number, question: string): void {
    this.#sent.set(timestamp, question);
    const [oldest] = this.#sent.keys();
    if (this.#sent.size > mostShown && oldest !== undefined) this.#sent.delete(oldest);
  }

  /** The open question that a message asks, or null. */
  questionAt(timestamp: number): string | null {
    const open = listQuestions(this.#journal).filter(({ decision }) => decision === undefined);
    const asked = open.find(({ id }) => this.#sent.get(timestamp) === id || this.#timesOf(id).includes(timestamp));
    return asked?.id ?? null;
  }

  #timesOf(id: string): number[] {
    const outcome = this.#outbox.delivery(`permission-${id}`)?.outcome;
    return outcome?.state === "sent" ? (outcome.external_id ?? "").split(",").map(Number) : [];
  }
}
