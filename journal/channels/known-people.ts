/**
 * The check of who is known on channels, and who is a stranger: whom the settings or a pairing name, or a channel lets
 * nobody else in.
 */
import { type Channel, isUnverified } from "../../protocol/agents/channel.ts";
import type { Settings } from "../../protocol/settings/settings.ts";

/** Channels on which whoever has their secret vouches for the sender. */
const vouchedFor = ["cli", "web", "webhook"];

/** Why a stranger's file isn't stored. */
export const noFiles = "files of people whom I don't know aren't stored";

/** Whether anybody at all could have sent this. @param owners `<type>:<userId>` each */
export function isStranger(
  { type, userId }: Pick<Channel, "type" | "userId">,
  owners: { has: (identity: string) => boolean },
  channels: Settings["channels"],
): boolean {
  if (vouchedFor.includes(type)) return false;
  if (userId === undefined || isUnverified(userId)) return true;
  const isAllowed = channels?.[type]?.allow?.includes(userId) ?? false;
  return !isAllowed && !owners.has(`${type}:${userId}`);
}
