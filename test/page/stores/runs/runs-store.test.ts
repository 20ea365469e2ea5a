/** The list of runs, whose pages are answered later than its runs are heard of. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ApiRecord } from "../../../../page/api/client.ts";
import type { RunsStore } from "../../../../page/stores/runs/runs-store.ts";
import { PlayedPage } from "../played-page.ts";

type RunRow = ApiRecord<"RunRow">;

const page = new PlayedPage("runs-store");
let newStore: () => RunsStore;
beforeAll(async () => {
  const runs =
    await page.module<typeof import("../../../../page/stores/runs/runs-store.ts")>("stores/runs/runs-store.ts");
  newStore = () => new runs.RunsStore({});
});
afterAll(() => page[Symbol.asyncDispose]());

/** A run whose id says when it was asked for. */
const run = (id: string, state: RunRow["state"]) => ({ id, state, requested_at: id }) as RunRow;
const rows = ({ runs }: RunsStore) => runs.value.all.map(({ id, state }) => `${id} ${state}`);
const pageOf = (items: RunRow[], next: string | null = null) => ({ items, next, total: 9 });

test("a run that ends while a page with it is on its way has ended, and one that is removed isn't there", async () => {
  const store = newStore();
  const read = store.readTo(3);
  (await page.asked("runs")).answer(pageOf([run("9", "running")], "9"));
  const second = await page.asked("runs");
  store.changed(run("5", "finished"), "first");
  store.removed("4");
  second.answer(pageOf([run("5", "running"), run("4", "finished"), run("3", "finished")]));
  await read;
  expect(rows(store)).toEqual(["9 running", "5 finished", "3 finished"]);
});

test("a run that changes before the first page is here stands in its place", async () => {
  const store = newStore();
  const read = store.readTo(2);
  const first = await page.asked("runs");
  store.changed(run("2", "running"), "first");
  store.changed(run("1", "running"), "counted");
  store.changed(run("8", "running"), "first");
  store.changed(run("9", "queued"), "first");
  expect(rows(store)).toEqual([]);
  first.answer(pageOf([run("8", "queued"), run("7", "finished")], "7"));
  await read;
  expect([rows(store), store.fresh.value.size]).toEqual([["9 queued", "8 running", "7 finished"], 0]);
});

test("a run that ends while the list is read again after a break has ended", async () => {
  const store = newStore();
  const read = store.readTo(2);
  (await page.asked("runs")).answer(pageOf([run("8", "running"), run("7", "running")]));
  await read;
  const caughtUp = store.catchUp(() => "first");
  const again = await page.asked("runs");
  store.changed(run("8", "finished"), "first");
  again.answer(pageOf([run("9", "queued"), run("8", "running"), run("7", "waiting")]));
  await caughtUp;
  expect(rows(store)).toEqual(["9 queued", "8 finished", "7 waiting"]);
});

test("runs that are read again before the first page is here are in it as they were read last", async () => {
  const store = newStore();
  const read = store.readTo(1);
  const first = await page.asked("runs");
  const caughtUp = store.catchUp(() => "first");
  (await page.asked("runs")).answer(pageOf([run("9", "queued"), run("8", "finished")]));
  await caughtUp;
  first.answer(pageOf([run("8", "running")]));
  await read;
  expect(rows(store)).toEqual(["9 queued", "8 finished"]);
});

test("a run that changes while those that came since are read is as it was heard of last", async () => {
  const store = newStore();
  const read = store.readTo(1);
  (await page.asked("runs")).answer(pageOf([run("7", "finished")]));
  await read;
  store.changed(run("8", "queued"), "counted");
  const fresh = store.readFresh();
  const asked = await page.asked("runs");
  store.changed(run("8", "failed"), "counted");
  asked.answer(pageOf([run("8", "queued"), run("7", "finished")]));
  await fresh;
  expect(rows(store)).toEqual(["8 failed", "7 finished"]);
});
