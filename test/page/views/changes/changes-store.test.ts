/** The changes of runs, whose list is answered out of order. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ChangesStore } from "../../../../page/views/changes/changes-store.ts";
import { PlayedPage } from "../../stores/played-page.ts";

const page = new PlayedPage("changes-store");
let store: ChangesStore;
beforeAll(async () => {
  const path = "views/changes/changes-store.ts";
  const changes = await page.module<typeof import("../../../../page/views/changes/changes-store.ts")>(path);
  store = new changes.ChangesStore();
});
afterAll(() => page[Symbol.asyncDispose]());

test("a change that is applied isn't put back by a list that was asked for before", async () => {
  const read = store.read();
  const older = await page.asked("changes");
  const applied = store.apply("1");
  (await page.asked("changes/1/apply")).answer({});
  (await page.asked("changes")).answer({ items: [{ id: "1", state: "applied" }] });
  await applied;
  older.answer({ items: [{ id: "1", state: "waiting" }] });
  await read;
  expect(store.changes.value).toEqual([{ id: "1", state: "applied" }]);
});
