/** Rooms of channels that are bound to threads of workspaces, `.state/channels/bound-rooms.json`: written by the web program, for the agents' service. */
import { z } from "zod";
import { readDocument } from "../../files/json-document.ts";
import { replaceFile } from "../../files/writing/replace-file.ts";
import type { Channel } from "../../protocol/agents/channel.ts";
import { state } from "../config/paths.ts";

/** `<type>:<channelId>` each. */
const BoundRooms = z.array(z.string());

const file = (journal: string) => state(journal, "channels", "bound-rooms.json");

export type Room = Pick<Channel, "type" | "channelId">;

export const readBoundRooms = (journal: string): string[] => readDocument(file(journal), BoundRooms) ?? [];

export const roomName = ({ type, channelId }: Room) => `${type}:${channelId}`;

/** Whether what is said in a room belongs to a thread. Read each time: a binding counts from the moment that it is written. */
export const isBoundRoom = (journal: string, room: Room): boolean => readBoundRooms(journal).includes(roomName(room));

/** Resolves when it is on the disk. */
export const writeBoundRooms = (journal: string, rooms: readonly Room[]): Promise<void> =>
  replaceFile(file(journal), `${JSON.stringify(rooms.map(roomName))}\n`);
