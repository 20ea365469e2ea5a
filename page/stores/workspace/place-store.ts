/**
 * The messages of a place, a thread or a fork: its last ones, older ones when they are asked for, and answers as they
 * come.
 */
import { type Signal, signal } from "@preact/signals";
import { answered, type ApiRecord, client } from "../../api/client.ts";
import { OneAtATime } from "./one-at-a-time.ts";
import type { TeamStore } from "./team-store.ts";

export type Message = ApiRecord<"Message">;
export type ThreadPlace = { threadId: string; forkId: string | null };

/** The text so far of an answer that isn't whole yet. */
export type Growing = { text: string; isWhole: boolean };

const pageSize = 50;

export class PlaceStore {
  readonly place: ThreadPlace;
  /** Oldest first; null: not read yet. */
  readonly messages = signal<readonly Message[] | null>(null);
  readonly problem = signal<unknown>(null);
  readonly hasOlder = signal(false);
  readonly isReadingOlder = signal(false);

  readonly #team: TeamStore;
  readonly #growing = new Map<string, Signal<Growing>>();
  /** Answers that were heard from their beginning. */
  readonly #begun = new Set<string>();
  readonly #ends: (() => void)[] = [];
  readonly #reads = new OneAtATime();
  /** The messages that came while the list was being read. */
  #heard: { message: Message; isNew: boolean }[] | null = null;
  #cursor: string | null = null;

  constructor(team: TeamStore, place: ThreadPlace) {
    this.#team = team;
    this.place = place;
  }

  open(): void {
    const team = this.#team;
    this.#ends.push(
      team.on("message.created", ({ message }) => this.#isHere(message) && this.takeMessage(message)),
      team.on("message.updated", ({ message }) => this.#isHere(message) && this.#change(message)),
      team.on("message.delta", (piece) => this.#isHere(piece) && this.#grow(piece.message_id, piece.text)),
      team.onReset(() => void this.read()),
      team.onBreak(() => this.#break()),
    );
    void team.listening.then(() => this.read());
  }

  close(): void {
    for (const end of this.#ends) end();
  }

  /** An answer as far as it has come. */
  growing(id: string): Signal<Growing> {
    const known = this.#growing.get(id);
    if (known) return known;
    const fresh = signal<Growing>({ text: "", isWhole: this.#begun.has(id) });
    this.#growing.set(id, fresh);
    return fresh;
  }

  read(): Promise<void> {
    return this.#reads.run(() => this.#read());
  }

  async #read(): Promise<void> {
    this.#heard = [];
    try {
      const { items, next } = await this.#page(null);
      this.#cursor = next;
      this.hasOlder.value = next !== null;
      this.messages.value = items;
      this.problem.value = null;
    } catch (error) {
      this.problem.value = error;
    }
    const heard = this.#heard;
    this.#heard = null;
    for (const { message, isNew } of heard) this.#put(message, isNew);
  }

  async readOlder(): Promise<void> {
    if (this.#cursor === null || this.isReadingOlder.value) return;
    this.isReadingOlder.value = true;
    try {
      const { items, next } = await this.#page(this.#cursor);
      const known = new Set(this.messages.value?.map(({ id }) => id));
      this.messages.value = [...items.filter(({ id }) => !known.has(id)), ...(this.messages.value ?? [])];
      this.#cursor = next;
      this.hasOlder.value = next !== null;
      this.problem.value = null;
    } catch (error) {
      this.problem.value = error;
    } finally {
      this.isReadingOlder.value = false;
    }
  }

  /** A message that is new here. */
  takeMessage(message: Message): void {
    if (message.text === "" && message.author_type === "agent") this.#begun.add(message.id);
    this.#put(message, true);
  }

  #change(message: Message): void {
    // Made empty again: the model begins anew.
    if (message.text === "") this.#begun.add(message.id);
    const growing = this.#growing.get(message.id);
    if (growing) growing.value = { text: "", isWhole: message.text === "" };
    this.#put(message, false);
  }

  #put(message: Message, isNew: boolean): void {
    this.#heard?.push({ message, isNew });
    const { value } = this.messages;
    if (value === null) return;
    if (value.some(({ id }) => id === message.id))
      this.messages.value = value.map((known) => (known.id === message.id ? message : known));
    else if (isNew) this.messages.value = [...value, message];
  }

  #grow(id: string, text: string): void {
    const growing = this.growing(id);
    growing.value = { ...growing.value, text: growing.value.text + text };
  }

  /** Breaks the growing texts: each has a hole from now on, until it is whole. */
  #break(): void {
    this.#begun.clear();
    for (const growing of this.#growing.values()) growing.value = { text: "", isWhole: false };
  }

  #isHere({ thread_id, fork_id }: { thread_id: string; fork_id: string | null }): boolean {
    return thread_id === this.place.threadId && fork_id === this.place.forkId;
  }

  #page(cursor: string | null) {
    const { threadId, forkId } = this.place;
    const query = { limit: pageSize, ...(cursor !== null && { cursor }) };
    return forkId === null
      ? answered(client.GET("/api/v1/threads/{id}/messages", { params: { path: { id: threadId }, query } }))
      : answered(client.GET("/api/v1/forks/{id}/messages", { params: { path: { id: forkId }, query } }));
  }
}
