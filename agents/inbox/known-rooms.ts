/** The rooms in which people who are known have written, so that an agent can be told of them. */
import { SerialQueue } from "../../files/locks/serial-queue.ts";
import { type KnownRoom, readKnownRooms, writeKnownRooms } from "../../journal/channels/known-rooms.ts";
import type { Channel } from "../../protocol/agents/channel.ts";

/** Rooms at most that are remembered: each is a line of the prompt. */
const mostRooms = 20;
/** Milliseconds for which a room stays where it is in the list: each change of it is a new prompt, which no provider has cached. */
const settledMs = 86_400_000;

export class KnownRooms {
  readonly #journal: string;
  readonly #writes = new SerialQueue();
  #rooms: KnownRoom[];

  constructor(journal: string) {
    this.#journal = journal;
    this.#rooms = readKnownRooms(journal);
  }

  /** The newest first. */
  get all(): readonly KnownRoom[] {
    return this.#rooms;
  }

  /** Notes that somebody who is known has written in a room. Resolves when that is on the disk. */
  async note({ type, channelId, userId }: Channel, now: number): Promise<void> {
    const isOf = (room: KnownRoom) => room.type === type && room.channelId === channelId;
    const known = this.#rooms.find(isOf);
    if (known && now - known.seen < settledMs) return;
    const newest = { type, channelId, ...(userId !== undefined && { userId }), seen: now };
    this.#rooms = [newest, ...this.#rooms.filter((room) => !isOf(room))].slice(0, mostRooms);
    await this.#writes.run(() => writeKnownRooms(this.#journal, this.#rooms));
  }
}
