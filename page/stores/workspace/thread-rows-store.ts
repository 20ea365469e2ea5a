/** The threads of a workspace as its list shows them: the one where something was said last comes first. */
import { batch, computed, signal } from "@preact/signals";
import { answered, type ApiRecord, client } from "../../api/client.ts";
import { OneAtATime } from "./one-at-a-time.ts";
import type { Message } from "./place-store.ts";
import type { TeamStore } from "./team-store.ts";
import type { Fork, Thread } from "./thread-store.ts";

export type ThreadRow = ApiRecord<"ThreadRow">;

const pageSize = 100;
/** As much of a message as a row shows. */
const shownCharacters = 200;

const activityOf = ({ thread, last }: ThreadRow) => last?.created_at ?? thread.created_at;

export class ThreadRowsStore {
  readonly problem = signal<unknown>(null);
  readonly hasOlder = signal(false);
  readonly #byId = signal<ReadonlyMap<string, ThreadRow> | null>(null);
  /** Null: not read yet. */
  readonly rows = computed(
    () =>
      this.#byId.value &&
      [...this.#byId.value.values()].toSorted((one, other) => (activityOf(one) > activityOf(other) ? -1 : 1)),
  );

  readonly #team: TeamStore;
  readonly #ends: (() => void)[] = [];
  readonly #reads = new OneAtATime();
  #cursor: string | null = null;
  #isReading = false;
  /** The changes that came while the list was being read. */
  #heard: (() => void)[] = [];

  constructor(team: TeamStore) {
    this.#team = team;
  }

  open(): void {
    const team = this.#team;
    const fork = ({ fork: changed }: { fork: Fork }) => this.#applyHeard(() => this.#takeFork(changed));
    this.#ends.push(
      team.on("thread.updated", ({ thread }) => this.takeThread(thread)),
      team.on("message.created", ({ message }) => this.#applyHeard(() => this.#takeMessage(message, true))),
      team.on("message.updated", ({ message }) => this.#applyHeard(() => this.#takeMessage(message, false))),
      team.on("fork.created", fork),
      team.on("fork.resolved", fork),
      team.on("fork.status_changed", fork),
      team.onReset(() => void this.read()),
    );
    void team.listening.then(() => this.read());
  }

  close(): void {
    for (const end of this.#ends) end();
  }

  read(): Promise<void> {
    return this.#reads.run(() => this.#read(null));
  }

  readOlder(): Promise<void> {
    return this.#reads.run(() => this.#read(this.#cursor));
  }

  takeThread(thread: Thread): void {
    this.#applyHeard(() => this.#takeThread(thread));
  }

  #takeThread(thread: Thread): void {
    const row = this.#byId.value?.get(thread.id);
    this.#put({ last: row?.last ?? null, forks: row?.forks ?? [], thread });
  }

  async #read(cursor: string | null): Promise<void> {
    this.#isReading = true;
    const query = { limit: pageSize, ...(cursor !== null && { cursor }) };
    try {
      const params = { path: { w: this.#team.id }, query };
      const { items, next } = await answered(client.GET("/api/v1/workspaces/{w}/thread-rows", { params }));
      const known = cursor === null ? [] : [...(this.#byId.value ?? [])];
      this.#byId.value = new Map([...known, ...items.map((row) => [row.thread.id, row] as const)]);
      this.#cursor = next;
      this.hasOlder.value = next !== null;
      this.problem.value = null;
    } catch (error) {
      this.problem.value = error;
    }
    this.#isReading = false;
    const heard = this.#heard;
    this.#heard = [];
    batch(() => heard.forEach((apply) => apply()));
  }

  #applyHeard(apply: () => void): void {
    apply();
    if (this.#isReading) this.#heard.push(apply);
  }

  #takeMessage(message: Message, isNew: boolean): void {
    const row = this.#byId.value?.get(message.thread_id);
    if (!row) return void (isNew && this.#byId.value && this.#fetch(message.thread_id));
    const { fork_id, id, author_type, author_name, metadata, created_at } = message;
    if (fork_id !== null) {
      if (isNew)
        this.#put({
          ...row,
          forks: row.forks.map((fork) => (fork.id === fork_id ? { ...fork, messages: fork.messages + 1 } : fork)),
        });
    } else if (isNew || row.last?.id === id) {
      const text = message.text.slice(0, shownCharacters).toWellFormed();
      this.#put({ ...row, last: { id, author_type, author_name, metadata, created_at, text } });
    }
  }

  #takeFork({ id, thread_id, message_id, description, status }: Fork): void {
    const row = this.#byId.value?.get(thread_id);
    if (!row) return;
    const known = row.forks.find((fork) => fork.id === id);
    const others = row.forks.filter((fork) => fork.id !== id);
    if (status !== "open" && status !== "resolving") return this.#put({ ...row, forks: others });
    const fork = { id, message_id, description, status, messages: known?.messages ?? 0 };
    this.#put({ ...row, forks: known ? row.forks.map((one) => (one.id === id ? fork : one)) : [...others, fork] });
  }

  /** A thread that is older than those that were read. */
  #fetch(id: string): void {
    answered(client.GET("/api/v1/threads/{id}", { params: { path: { id } } })).then(
      (thread) => this.takeThread(thread),
      () => {},
    );
  }

  #put(row: ThreadRow): void {
    if (this.#byId.value) this.#byId.value = new Map(this.#byId.value).set(row.thread.id, row);
  }
}
