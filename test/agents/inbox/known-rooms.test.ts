import { expect, test } from "vitest";
import { KnownRooms } from "../../../agents/inbox/known-rooms.ts";
import { temporaryJournal } from "../../journal/temporary-journal.ts";

const day = 86_400_000;
const room = (channelId: string) => ({ type: "alpha", channelId, userId: "ada" });
const names = (journal: string) => new KnownRooms(journal).all.map(({ channelId }) => channelId);

test("rooms are remembered over restarts, the newest first, and move no oftener than once a day", async () => {
  using journal = temporaryJournal();
  const rooms = new KnownRooms(journal.path);
  await rooms.note(room("harbor"), 0);
  await rooms.note(room("quay"), 1);
  await rooms.note(room("harbor"), day - 1);
  expect(names(journal.path)).toEqual(["quay", "harbor"]);
  await rooms.note({ ...room("harbor"), replyTo: "t1" }, day);
  expect(names(journal.path)).toEqual(["harbor", "quay"]);
});

test("rooms that are noted at once are all remembered, in that order", async () => {
  using journal = temporaryJournal();
  const rooms = new KnownRooms(journal.path);
  await Promise.all(["a", "b", "c", "d"].map((name, at) => rooms.note(room(name), at)));
  expect(names(journal.path)).toEqual(["d", "c", "b", "a"]);
});

test("no more than 20 rooms are remembered", async () => {
  using journal = temporaryJournal();
  const rooms = new KnownRooms(journal.path);
  for (let number = 1; number <= 25; number++) await rooms.note(room(`r${number}`), number);
  expect([names(journal.path).length, names(journal.path)[0], names(journal.path).at(-1)]).toEqual([20, "r25", "r6"]);
});
