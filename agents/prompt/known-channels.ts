/** The channels on which an owner can be reached, with their ids: an agent may be asked to answer elsewhere than where it was asked. Pure. */
import type { BuiltInChannel, ChannelsSettings } from "../../protocol/agents/agents-settings.ts";
import { startedAdapters } from "../../protocol/agents/channel-settings.ts";

export type KnownChannel = { type: string; channelId: string };

/** How an owner's own channel is called, by type: `userId`: as the owner is, since a private chat has its user's id. */
const ownChannel: Record<BuiltInChannel, "main" | "userId"> = {
  cli: "main",
  web: "main",
  webhook: "main",
  telegram: "userId",
};

/** @param owners `<type>:<userId>` each */
export function knownChannels(channels: ChannelsSettings | undefined, owners: Iterable<string>): KnownChannel[] {
  const types: BuiltInChannel[] = ["cli", ...startedAdapters(channels)];
  // Without an address nothing goes out.
  const reached = types.filter((type) => type !== "webhook" || channels?.[type]?.url !== undefined);
  const identities = [...owners].toSorted();
  return reached.flatMap((type) => {
    if (ownChannel[type] === "main") return [{ type, channelId: "main" }];
    const ids = identities.flatMap((one) => (one.startsWith(`${type}:`) ? [one.slice(type.length + 1)] : []));
    return ids.map((channelId) => ({ type, channelId }));
  });
}
