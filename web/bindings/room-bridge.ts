/**
 * Bridge between bound rooms and their threads: what the agents' service hands on of rooms is stored, what is said in threads
 * goes out to their rooms. Each once and in order, over the death of whatever: both sides know what they had.
 */
import { setTimeout as delay } from "node:timers/promises";
import { lastOutbound, publishOutbound, storedOutbound, workspaceInbox } from "../../bus/agents/channels.ts";
import type { Bus } from "../../bus/connection/connect.ts";
import { CoalescedWork } from "../../files/locks/serial-queue.ts";
import { keepAttachments } from "../../journal/attachments/keep-attachments.ts";
import { readBoundRooms, roomName, writeBoundRooms } from "../../journal/channels/bound-rooms.ts";
import { readPollOffset, writePollOffset } from "../../journal/channels/poll-offset.ts";
import type { Logger } from "../../proc/logging/log.ts";
import { failpoint } from "../../proc/programs/failpoint.ts";
import { bindingCodeIn } from "../../protocol/agents/binding-code.ts";
import type { OutboundMessage } from "../../protocol/agents/channel.ts";
import { type BoundRoom, boundRooms, redeemBindingCode } from "../../workspace/bindings/bindings.ts";
import { takeFromRoom } from "../../workspace/bindings/from-room.ts";
import { nextForRoom, noteSent } from "../../workspace/bindings/to-room.ts";
import type { WorkspaceStore } from "../../workspace/database/changes/store.ts";

/** Pause after a failure: the bus or the database is away. */
const againMs = 1000;

/** The name of the note of how far the stream was read. */
const reader = "workspace";

export type RoomBridgeDeps = { journal: string; bus: Bus; store: WorkspaceStore; log: Logger };

export class RoomBridge implements AsyncDisposable {
  readonly #deps: RoomBridgeDeps;
  readonly #stopping = new AbortController();
  readonly #listening: Disposable;
  readonly #outward: CoalescedWork;
  readonly #taking: Promise<void>;

  constructor(deps: RoomBridgeDeps) {
    this.#deps = deps;
    this.#outward = new CoalescedWork(() =>
      this.#untilDone("what is said in threads doesn't go out", () => this.#sendAll()),
    );
    this.#listening = deps.store.changes.listen(() => void this.#outward.run());
    void this.#outward.run();
    this.#taking = this.#takeAll();
  }

  /** Stores what comes from rooms, until it is stopped. */
  async #takeAll(): Promise<void> {
    const { bus, journal } = this.#deps;
    const { signal } = this.#stopping;
    let reading = new AbortController();
    bus.onReconnect(() => reading.abort());
    while (!signal.aborted) {
      reading = new AbortController();
      await this.#untilDone("messages of bound rooms aren't read", async () => {
        const noted = (await readPollOffset(journal, reader, workspaceInbox))?.offset ?? 0;
        // A bus that has lost its store counts from the begin again.
        const from = noted > (await lastOutbound(bus, workspaceInbox)) ? 1 : noted + 1;
        const until = AbortSignal.any([signal, reading.signal]);
        for await (const { position, message } of storedOutbound(bus, workspaceInbox, from, until)) {
          await this.#untilDone("a message of a bound room isn't stored", () => this.#takeMessage(message));
          if (signal.aborted) return;
          failpoint("room-message-stored");
          await writePollOffset(journal, reader, { account: workspaceInbox, offset: position, ts: Date.now() });
        }
      });
    }
  }

  async #takeMessage(message: OutboundMessage): Promise<void> {
    const { journal, store, bus, log } = this.#deps;
    const { channel } = message;
    const code = bindingCodeIn(message.text);
    if (code === null) {
      await keepAttachments(
        journal,
        (message.attachments ?? []).flatMap(({ id }) => id ?? []),
      );
      const taken = await takeFromRoom(store, message);
      if (taken === "unbound") log.warn({ channel, id: message.id }, "a message of a room that isn't bound any more");
      return;
    }
    const redeemed = await redeemBindingCode(store, code, channel);
    // Written before anything else is taken: from here on the agents' service hands on what is said there.
    await this.#writeRooms(await boundRooms(store));
    if (redeemed !== "bound before") return;
    const { type, channelId } = channel;
    const text = "This room is bound to a thread already.";
    const id = `bound-before-${message.id}`.slice(0, 128);
    await publishOutbound(bus, { id, text, channel: { type, channelId } });
  }

  /** Sends out what was said since, in every room's own order. */
  async #sendAll(): Promise<void> {
    const { store } = this.#deps;
    const rooms = await boundRooms(store);
    await this.#writeRooms(rooms);
    for (const room of rooms) await this.#sendTo(room);
  }

  async #sendTo(room: BoundRoom): Promise<void> {
    const { store, bus } = this.#deps;
    for (let position = room.position; !this.#stopping.signal.aborted; ) {
      const next = await nextForRoom(store, { ...room, position });
      for (const message of next.messages) {
        await publishOutbound(bus, message);
        failpoint("room-message-sent");
      }
      ({ position } = next);
      await noteSent(store, room, position);
      if (next.isAll) return;
    }
  }

  async #writeRooms(rooms: readonly BoundRoom[]): Promise<void> {
    const { journal } = this.#deps;
    const bound = rooms.map(({ channel_type: type, channel_id: channelId }) => ({ type, channelId }));
    if (JSON.stringify(bound.map(roomName)) === JSON.stringify(readBoundRooms(journal))) return;
    await writeBoundRooms(journal, bound);
  }

  /** Repeats work that fails, which must be safe to repeat, until it is stopped. */
  async #untilDone(problem: string, work: () => Promise<void>): Promise<void> {
    const { signal } = this.#stopping;
    for (let hasFailed = false; !signal.aborted; hasFailed = true)
      try {
        return await work();
      } catch (error) {
        if (signal.aborted) return;
        if (!hasFailed) this.#deps.log.warn({ err: error }, `${problem}: trying again`);
        await delay(againMs, undefined, { signal }).catch(() => {});
      }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listening[Symbol.dispose]();
    this.#stopping.abort();
    await this.#outward.idle();
    await this.#taking;
  }
}
