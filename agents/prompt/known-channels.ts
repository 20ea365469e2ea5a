/** The channels on which an owner can be reached, and the rooms in which people who are known have written, with their ids: an agent may be asked to answer elsewhere than where it was asked. Pure. */
import { isStranger } from "../../journal/channels/known-people.ts";
import type { KnownRoom } from "../../journal/channels/known-rooms.ts";
import { type BuiltInChannel, type ChannelsSettings, externalChannels } from "../../protocol/agents/agents-settings.ts";
import { startedAdapters } from "../../protocol/agents/channel-settings.ts";

export type KnownChannel = { type: string; channelId: string };

export type KnownChannels = {
  /** The owners' own: nobody else reads there. */
  own: KnownChannel[];
  /** Rooms of others, too, the newest first. */
  rooms: KnownChannel[];
};

/** How an owner's own channel is called, by type: `userId`: as the owner is, since a private chat has its user's id. */
const ownChannel: Record<BuiltInChannel, "main" | "userId"> = {
  cli: "main",
  web: "main",
  webhook: "main",
  telegram: "userId",
  slack: "userId",
  mail: "userId",
  sms: "userId",
  signal: "userId",
};

/**
 * @param owners `<type>:<userId>` each
 * @param rooms in which somebody has written, the newest first. Those of strangers are left out, and of types that nothing goes out on
 */
export function knownChannels(
  channels: ChannelsSettings | undefined,
  owners: ReadonlySet<string>,
  rooms: readonly KnownRoom[],
): KnownChannels {
  // Without an address nothing goes out.
  const started = startedAdapters(channels).filter((type) => type !== "webhook" || channels?.[type]?.url !== undefined);
  const external = externalChannels(channels);
  const written = rooms.filter(
    (room) => [...started, ...external].includes(room.type) && !isStranger(room, owners, channels),
  );
  const own = [
    ...["cli" as const, ...started].flatMap((type) => ownOf(type, owners)),
    ...external.flatMap((type) => ownOfExternal(type, owners, written)),
  ];
  const isOwn = (room: KnownRoom) => own.some((one) => one.type === room.type && one.channelId === room.channelId);
  const others = written.filter((room) => !isOwn(room));
  return { own, rooms: others.map(({ type, channelId }) => ({ type, channelId })) };
}

function ownOf(type: BuiltInChannel, owners: ReadonlySet<string>): KnownChannel[] {
  if (ownChannel[type] === "main") return [{ type, channelId: "main" }];
  return usersOf(type, owners).map((channelId) => ({ type, channelId }));
}

/**
 * The private rooms of owners on an adapter of the user's own: as on Telegram they have their user's id, unless its owner has
 * written in rooms of other names alone.
 */
function ownOfExternal(type: string, owners: ReadonlySet<string>, written: readonly KnownRoom[]): KnownChannel[] {
  return usersOf(type, owners)
    .filter((user) => {
      const theirs = written.filter((room) => room.type === type && room.userId === user);
      return theirs.length === 0 || theirs.some(({ channelId }) => channelId === user);
    })
    .map((channelId) => ({ type, channelId }));
}

/** The ids of the owners on a type of channel. */
function usersOf(type: string, owners: ReadonlySet<string>): string[] {
  const ids = [...owners].flatMap((one) => (one.startsWith(`${type}:`) ? [one.slice(type.length + 1)] : []));
  return ids.toSorted();
}
