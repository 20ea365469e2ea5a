/** The people of the mail channel: who may write, who decides, whose files are fetched. Looked up each time: somebody may have been paired. */
import { readOwners } from "../../../journal/agents/owners.ts";
import { isStranger } from "../../../journal/channels/known-people.ts";
import { usableSettings } from "../../../journal/config/settings.ts";
import type { Channel } from "../../../protocol/agents/channel.ts";
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
    return isBelieved && this.#owners().has(`mail:${address}`);
  }

  /** Anybody where the setting names nobody; an owner always. */
  mayWrite(sender: MailSender): boolean {
    if (this.#allow === undefined || this.isOwner(sender)) return true;
    return sender.isBelieved && this.#allow.includes(sender.address);
  }

  refusesFilesOf(channel: Channel): boolean {
    const { agents, channels } = usableSettings(this.#journal).settings;
    return agents?.strangers?.files !== true && isStranger(channel, this.#owners(), channels);
  }

  #owners(): Set<string> {
    const named = usableSettings(this.#journal).settings.agents?.owners ?? [];
    return new Set([...named, ...readOwners(this.#journal)]);
  }
}
