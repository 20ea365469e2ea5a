/** Rooms in which people who are known have written to the agents, `.state/channels/known-rooms.json`, the newest first. */
import { z } from "zod";
import { readDocument } from "../../files/json-document.ts";
import { replaceFile } from "../../files/writing/replace-file.ts";
import { Channel } from "../../protocol/agents/channel.ts";
import { state } from "../config/paths.ts";

const { type, channelId, userId } = Channel.shape;

const KnownRoom = z.object({
  type,
  channelId,
  /** The person who wrote there, who may be a stranger by now. */
  userId,
  /** When that was noted, in ms. */
  seen: z.number().int(),
});
export type KnownRoom = z.infer<typeof KnownRoom>;

const file = (journal: string) => state(journal, "channels", "known-rooms.json");

export const readKnownRooms = (journal: string): KnownRoom[] => readDocument(file(journal), z.array(KnownRoom)) ?? [];

/** Resolves when it is on the disk. */
export const writeKnownRooms = (journal: string, rooms: readonly KnownRoom[]): Promise<void> =>
  replaceFile(file(journal), `${JSON.stringify(rooms)}\n`);
