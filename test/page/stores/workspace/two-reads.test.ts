/** The stores of a workspace while two of their lists are out at once: a first one, and one that is read since events are missing. */
import { afterEach, expect, test, vi } from "vitest";
import { client } from "../../../../page/api/client.ts";
import { type Message, PlaceStore } from "../../../../page/stores/workspace/place-store.ts";
import { TeamStore } from "../../../../page/stores/workspace/team-store.ts";
import { ThreadRowsStore } from "../../../../page/stores/workspace/thread-rows-store.ts";
import { type Fork, type Thread, ThreadStore } from "../../../../page/stores/workspace/thread-store.ts";

afterEach(() => vi.restoreAllMocks());

/** The answers to one read, all at once, as soon as they are let go. */
class HeldRead {
  readonly #asked = Promise.withResolvers<void>();
  readonly #answer = Promise.withResolvers<(path: string) => unknown>();
  /** Resolves when the server is asked. */
  readonly asked = this.#asked.promise;
  readonly answer = this.#answer.resolve;

  get(path: string): Promise<unknown> {
    this.#asked.resolve();
    return this.#answer.promise.then((answer) => ({ data: answer(path), response: { ok: true } }));
  }
}

/** Plays a server whose answers to two reads are held. @param asksOfRead how much is asked at once for one read */
function heldServer(asksOfRead: number): readonly [HeldRead, HeldRead] {
  const reads = [new HeldRead(), new HeldRead()] as const;
  let asked = 0;
  const get = (path: string) => reads[asked++ < asksOfRead ? 0 : 1].get(path);
  vi.spyOn(client, "GET").mockImplementation(get as never);
  return reads;
}

const list = (items: readonly unknown[]) => ({ items, next: null });
const message = (id: string) => ({ id, thread_id: "t", fork_id: null, text: id, author_type: "human" }) as Message;
const thread = (id: string) => ({ id, title: id, summary_id: null, created_at: id }) as Thread;
const fork = (status: Fork["status"]) => ({ id: "f", thread_id: "t", status }) as Fork;

test("a message that comes between the answers to two reads stays, though the second list is older", async () => {
  const [one, two] = heldServer(1);
  const place = new PlaceStore(new TeamStore("team"), { threadId: "t", forkId: null });
  const reads = [place.read(), place.read()];
  one.answer(() => list([message("1")]));
  await reads[0];
  await two.asked;
  place.takeMessage(message("2"));
  two.answer(() => list([message("1")]));
  await Promise.all(reads);
  expect(place.messages.value?.map(({ id }) => id)).toEqual(["1", "2"]);
});

const lookWith = (forks: readonly Fork[]) => (path: string) =>
  path.endsWith("{id}") ? thread("t") : list(path.endsWith("forks") ? forks : []);

test("a fork that is resolved between the answers to two reads stays so, though the second list is older", async () => {
  const [one, two] = heldServer(4);
  const look = new ThreadStore(new TeamStore("team"), "t");
  const reads = [look.read(), look.read()];
  one.answer(lookWith([]));
  await reads[0];
  await two.asked;
  look.takeFork(fork("resolved"));
  two.answer(lookWith([fork("open")]));
  await Promise.all(reads);
  expect([look.forks.value, look.problem.value]).toEqual([[fork("resolved")], null]);
});

test("of two reads of a thread the later one counts", async () => {
  const [one, two] = heldServer(4);
  const look = new ThreadStore(new TeamStore("team"), "t");
  const reads = [look.read(), look.read()];
  one.answer(lookWith([fork("open")]));
  two.answer(lookWith([fork("resolved")]));
  await Promise.all(reads);
  expect([look.forks.value, look.problem.value]).toEqual([[fork("resolved")], null]);
});

test.each([
  ["a list", 1],
  ["the second of two lists", 2],
])("a thread that is made here while %s is out stays in the list", async (_, count) => {
  const held = heldServer(1).slice(0, count);
  const rows = new ThreadRowsStore(new TeamStore("team"));
  const reads = held.map(() => rows.read());
  for (const read of held.slice(0, -1)) read.answer(() => list([]));
  await Promise.all(reads.slice(0, -1));
  await held.at(-1)?.asked;
  rows.takeThread(thread("new"));
  held.at(-1)?.answer(() => list([{ thread: thread("old"), last: null, forks: [] }]));
  await Promise.all(reads);
  expect(rows.rows.value?.map(({ thread: { id } }) => id)).toEqual(["old", "new"]);
});
