/** A run's record, which is answered later than it is heard of. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RunStore } from "../../../../page/stores/runs/run-store.ts";
import { PlayedPage } from "../played-page.ts";

const page = new PlayedPage("run-store");
let newStore: () => RunStore;
beforeAll(async () => {
  const run = await page.module<typeof import("../../../../page/stores/runs/run-store.ts")>("stores/runs/run-store.ts");
  newStore = () => new run.RunStore("1");
  await page.listen();
});
afterAll(() => page[Symbol.asyncDispose]());

const record = (state: string) => ({ id: "1", state, files: [state] });
const shown = ({ run }: RunStore) => run.value;

test("a run that ends while its record is on its way has ended", async () => {
  const store = newStore();
  store.open();
  const first = await page.asked("runs/1");
  await page.tell("run.changed", { id: "2", state: "failed" });
  await page.tell("run.changed", { id: "1", state: "finished" });
  first.answer(record("running"));
  await expect.poll(() => shown(store)).toEqual({ id: "1", state: "finished", files: ["running"] });
  const read = store.read();
  (await page.asked("runs/1")).answer(record("queued"));
  await read;
  expect(shown(store)).toEqual(record("queued"));
  store.close();
});

test("of two records that are answered out of order the one that was asked for last stays", async () => {
  const store = newStore();
  const reads = [store.read(), store.read(), store.read()];
  const [failed, older, last] = [await page.asked("runs/1"), await page.asked("runs/1"), await page.asked("runs/1")];
  last.answer(record("finished"));
  await reads[2];
  older.answer(record("running"));
  failed.answer({}, 500);
  await Promise.all(reads);
  expect([shown(store), store.problem.value]).toEqual([record("finished"), null]);
});
