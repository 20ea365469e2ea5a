/**
 * The notifications in a workspace that one hasn't read. The server notes up to where a member has read in all of the
 * workspace: it is told only as far as everything before that was seen here, thread by thread.
 */
import { computed, signal } from "@preact/signals";
import { answered, client } from "../../api/client.ts";
import type { Message } from "./place-store.ts";
import { mostItems, type TeamStore } from "./team-store.ts";

type Unread = { id: string; thread: string };

export class UnreadStore {
  readonly problem = signal<unknown>(null);
  /** Oldest first. */
  readonly #unread = signal<readonly Unread[]>([]);
  readonly #seen = signal<ReadonlySet<string>>(new Set());
  /** How many there are in each thread. */
  readonly counts = computed(() => {
    const counts = new Map<string, number>();
    for (const { id, thread } of this.#unread.value)
      if (!this.#seen.value.has(id)) counts.set(thread, (counts.get(thread) ?? 0) + 1);
    return counts;
  });

  readonly #team: TeamStore;
  readonly #ends: (() => void)[] = [];
  readonly #kept: string;

  constructor(team: TeamStore) {
    this.#team = team;
    this.#kept = `seen in ${team.id}`;
    this.#seen.value = new Set(keptWords(this.#kept));
  }

  open(): void {
    // What a message is to oneself is the server's to say.
    this.#ends.push(
      this.#team.on("message.created", () => this.#readSoon()),
      this.#team.onReset(() => void this.read()),
    );
    void this.#team.listening.then(() => this.read());
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const end of this.#ends) end();
  }

  #timer: ReturnType<typeof setTimeout> | undefined;

  #readSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.read();
    }, settleMs);
  }

  async read(): Promise<void> {
    try {
      const params = { path: { w: this.#team.id }, query: { limit: mostItems } };
      const { items } = await answered(client.GET("/api/v1/workspaces/{w}/notifications", { params }));
      this.#unread.value = items.map(({ message }) => ({ id: message.id, thread: message.thread_id })).toReversed();
      this.problem.value = null;
      await this.#tellReadUntil();
    } catch (error) {
      this.problem.value = error;
    }
  }

  /** These messages were in view. */
  see(messages: readonly Pick<Message, "id">[]): void {
    const unread = new Set(this.#unread.value.map(({ id }) => id));
    const fresh = messages.filter(({ id }) => unread.has(id) && !this.#seen.value.has(id));
    if (fresh.length === 0) return;
    this.#seen.value = new Set([...this.#seen.value, ...fresh.map(({ id }) => id)]);
    void this.#tellReadUntil();
  }

  /** Tells how far one has read: to the message before the first that wasn't seen. */
  async #tellReadUntil(): Promise<void> {
    const unread = this.#unread.value;
    const until = unread.findIndex(({ id }) => !this.#seen.value.has(id));
    const last = until === -1 ? unread.at(-1) : unread[until - 1];
    keep(this.#kept, [...this.#seen.value].slice(-mostKept));
    if (!last) return;
    try {
      const params = { path: { w: this.#team.id } };
      await answered(
        client.POST("/api/v1/workspaces/{w}/notifications/read", { params, body: { message_id: last.id } }),
      );
      this.#unread.value = this.#unread.value.filter(({ id }) => id > last.id || !unread.some((one) => one.id === id));
    } catch {
      // It is told again with what is seen next.
    }
  }
}

/** Messages come in bursts: they are asked for together. In ms. */
const settleMs = 300;

const mostKept = 1000;

function keptWords(name: string): string[] {
  return (localStorage.getItem(name) ?? "").split(" ").filter(Boolean);
}

/** A browser that keeps nothing asks again what was read. */
function keep(name: string, words: readonly string[]): void {
  try {
    localStorage.setItem(name, words.join(" "));
  } catch {}
}
