/** The people of the mail channel: who may write, who decides. Looked up each time: somebody may have been paired. */
import { ownersNow } from "../../adapter/senders/owners-now.ts";
import type { MailSender } from "./sender.ts";

export class MailPeople {
  readonly #journal: string;
  readonly #allow: readonly string[] | undefined;

  /** @param allow the setting of the adapter's start: a change of it starts the adapter anew */
  constructor(journal: string, allow: readonly string[] | undefined) {
    this.#journal = journal;
    this.#allow = allow;
  }

  isOwner({ isBelieved, address }: MailSender): boolean {
    return isBelieved && ownersNow(this.#journal).has(`mail:${address}`);
  }

  /** Anybody where the setting names nobody; an owner always. */
  mayWrite(sender: MailSender): boolean {
    if (this.#allow === undefined || this.isOwner(sender)) return true;
    return sender.isBelieved && this.#allow.includes(sender.address);
  }
}
