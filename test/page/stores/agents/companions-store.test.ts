/** The long-lived agents, whose list is answered out of order. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { PlayedPage } from "../played-page.ts";

type Store = typeof import("../../../../page/stores/agents/companions-store.ts");

const page = new PlayedPage("companions-store");
let store: Store;
beforeAll(async () => {
  store = await page.module<Store>("stores/agents/companions-store.ts");
});
afterAll(() => page[Symbol.asyncDispose]());

test("a list of agents that was asked for before another isn't shown behind it", async () => {
  const reads = [store.readCompanions(), store.readCompanions()];
  const [older, newer] = [await page.asked("companions"), await page.asked("companions")];
  newer.answer({ items: [{ agent_id: "new" }] });
  await reads[1];
  older.answer({ items: [] });
  await reads[0];
  expect(store.companions.value).toEqual([{ agent_id: "new" }]);
});
