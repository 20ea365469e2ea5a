/** The senders of a channel, as its adapter has to know them by itself: who may write, and who decides. Read each time: somebody may have been paired. */
import { readOwners } from "../../journal/agents/owners.ts";
import { isStranger } from "../../journal/channels/known-people.ts";
import { usableSettings } from "../../journal/config/settings.ts";
import type { Channel } from "../../protocol/agents/channel.ts";

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
    return this.#owners().has(`${this.#type}:${userId}`);
  }

  /** Whether somebody may write: anybody where the setting names nobody; an owner always. */
  mayWrite(userId: string): boolean {
    return this.#allow === undefined || this.#allow.includes(userId) || this.isOwner(userId);
  }

  /** Whether the settings or a pairing name somebody so. */
  isNamed(userId: string): boolean {
    return this.#allow?.includes(userId) === true || this.isOwner(userId);
  }

  /** Whether files from there stay where they are. */
  refusesFilesOf(channel: Channel): boolean {
    const { agents, channels } = usableSettings(this.#journal).settings;
    return agents?.strangers?.files !== true && isStranger(channel, this.#owners(), channels);
  }

  #owners(): Set<string> {
    const named = usableSettings(this.#journal).settings.agents?.owners ?? [];
    return new Set([...named, ...readOwners(this.#journal)]);
  }
}
