/** The questions that wait, read while Cortex isn't there yet. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { PlayedPage } from "../played-page.ts";

type Store = typeof import("../../../../page/stores/now/decisions-store.ts");

const page = new PlayedPage("decisions-store");
let store: Store;
let end: () => void;
let startServer: () => Promise<void>;
beforeAll(async () => {
  store = await page.module<Store>("stores/now/decisions-store.ts");
  startServer = await page.listenInVain();
  end = store.followDecisions();
});
afterAll(async () => {
  end();
  await page[Symbol.asyncDispose]();
});

const decision = (id: string) => ({ id, status: "open", run: "1", asked_at: id });
const isRead = () => expect.poll(() => page.waiting("decisions")).toBe(1);

test("questions that couldn't be read are read when the server is there, and at the next that is heard of", async () => {
  (await page.asked("decisions")).answer({}, 503);
  await startServer();
  await isRead();
  const failed = await page.asked("decisions");
  failed.answer({}, 503);
  await expect
    .poll(async () => {
      await page.tell("decision.requested", decision("2"));
      return page.waiting("decisions");
    })
    .toBe(1);
  await page.tell("decision.requested", decision("3"));
  expect([page.waiting("decisions"), store.openDecisions.value]).toEqual([1, null]);
  (await page.asked("decisions")).answer({ items: [decision("1"), decision("2")] });
  // One was heard of meanwhile: that answer may be older.
  (await page.asked("decisions")).answer({ items: ["1", "2", "3"].map(decision) });
  await expect.poll(() => store.needsYouCount.value).toBe(3);
  expect(store.decisionsOf("1").map(({ id }) => id)).toEqual(["1", "2", "3"]);
});
