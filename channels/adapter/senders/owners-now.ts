/** Owners and strangers of this moment, where an adapter has to know them by itself: somebody may have been paired since it began. */
import { readOwners } from "../../../journal/agents/owners.ts";
import { isStranger } from "../../../journal/channels/known-people.ts";
import { usableSettings } from "../../../journal/config/settings.ts";
import type { Channel } from "../../../protocol/agents/channel.ts";
import { namedOwners } from "../../../protocol/agents/named-owners.ts";

/** @returns `<type>:<userId>` each */
export const ownersNow = (journal: string): Set<string> =>
  new Set([...namedOwners(usableSettings(journal).settings), ...readOwners(journal)]);

/** Whether the files of whoever writes there stay where they are: a stranger's, unless the settings take those. */
export function refusesFilesOf(journal: string, channel: Channel): boolean {
  const { agents, channels } = usableSettings(journal).settings;
  return agents?.strangers?.files !== true && isStranger(channel, ownersNow(journal), channels);
}
