/** The senders of a channel, as its adapter has to know them by itself: who may write, and who decides. Read each time: somebody may have been paired. */
import { ownersNow } from "./owners-now.ts";

export class Senders {
  readonly #journal: string;
  readonly #type: string;
  readonly #allow: readonly string[] | undefined;

  /** @param allow the setting of the adapter's start: a change of it starts the adapter anew */
  constructor(journal: string, type: string, allow: readonly string[] | undefined) {
    this.#journal = journal;
    this.#type = type;
    this.#allow = allow;
  }

  isOwner(userId: string): boolean {
    return ownersNow(this.#journal).has(`${this.#type}:${userId}`);
  }

  /** Whether somebody may write: anybody where the setting names nobody; an owner always. */
  mayWrite(userId: string): boolean {
    return this.#allow === undefined || this.#allow.includes(userId) || this.isOwner(userId);
  }

  /** Whether the settings or a pairing name somebody so. */
  isNamed(userId: string): boolean {
    return this.#allow?.includes(userId) === true || this.isOwner(userId);
  }
}
