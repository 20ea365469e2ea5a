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
  /** Questions that are being sent: when that is, the daemon's answer says. */
  readonly #underWay = new Set<Promise<void>>();

  constructor(journal: string, outbox: Pick<Outbox, "delivery">) {
    this.#journal = journal;
    this.#outbox = outbox;
  }

  /** @param sending resolves with when it was sent */
  add(question: string, sending: Promise<number>): void {
    const noted = sending
      .then((timestamp) => this.#note(timestamp, question))
      .catch(() => {}) // whoever sends it hears that
      .finally(() => this.#underWay.delete(noted));
    this.#underWay.add(noted);
  }

  /** The open question that a message asks, or null. A reaction may be told before the daemon has answered that the message was sent. */
  async questionAt(timestamp: number): Promise<string | null> {
    const known = this.#openAt(timestamp);
    if (known !== null || this.#underWay.size === 0) return known;
    await Promise.all(this.#underWay);
    return this.#openAt(timestamp);
  }

  #note(timestamp: number, question: string): void {
    this.#sent.set(timestamp, question);
    const [oldest] = this.#sent.keys();
    if (this.#sent.size > mostShown && oldest !== undefined) this.#sent.delete(oldest);
  }

  #openAt(timestamp: number): string | null {
    const open = listQuestions(this.#journal).filter(({ decision }) => decision === undefined);
    const asked = open.find(({ id }) => this.#sent.get(timestamp) === id || this.#timesOf(id).includes(timestamp));
    return asked?.id ?? null;
  }

  #timesOf(id: string): number[] {
    const outcome = this.#outbox.delivery(`permission-${id}`)?.outcome;
    return outcome?.state === "sent" ? (outcome.external_id ?? "").split(",").map(Number) : [];
  }
}
