/** Now, whose runs are heard of while an answer is on its way, which may be older. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { PlayedPage } from "../played-page.ts";

type Store = typeof import("../../../../page/stores/now/now-store.ts");

const page = new PlayedPage("now-store");
let store: Store;
beforeAll(async () => {
  store = await page.module<Store>("stores/now/now-store.ts");
  await page.listen();
});
afterAll(() => page[Symbol.asyncDispose]());

const run = (id: string, state: string) => ({ id, state });
const now = (working: object[], failed: object[] = [], health: object[] = []) => ({
  working,
  failed,
  health,
  needs_you: [],
  done_today: [],
  totals: { working: working.length, failed: failed.length, done_today: 0 },
});
const shown = () => {
  const { working, failed, health, totals } = store.nowState.value ?? {};
  return {
    working: working?.map(({ id, state }) => `${id} ${state}`),
    failed: failed?.map(({ id }) => id),
    health: health?.length,
    sums: [totals?.working, totals?.failed],
  };
};
const isRead = () => expect.poll(() => page.waiting("now")).toBe(1);

test("what is heard while the first answer is on its way is newer than it", async () => {
  const end = store.followNow();
  const first = await page.asked("now");
  await page.tell("run.changed", run("a", "finished"));
  await page.tell("run.changed", run("b", "queued"));
  await page.tell("health.changed", { problems: [] });
  first.answer(now([run("a", "running"), run("c", "running")], [], [{}]));
  await expect.poll(shown).toEqual({ working: ["b queued", "c running"], failed: [], health: 0, sums: [2, 0] });
  // The run that ended is among those of today only in a later answer.
  await isRead();
  (await page.asked("now")).answer(now([run("b", "queued"), run("c", "running")]));
  end();
});

test("what is heard, or put away, while a later answer is on its way is newer than it", async () => {
  const end = store.followNow();
  (await page.asked("now")).answer(now([run("a", "running")], [run("f", "failed"), run("g", "failed")], [{}]));
  await expect.poll(() => shown().working).toEqual(["a running"]);
  void store.readNow();
  const older = await page.asked("now");
  await page.tell("run.changed", run("a", "failed"));
  await page.tell("run.changed", run("b", "queued"));
  await page.tell("health.changed", { problems: [] });
  const away = store.putAway("f");
  (await page.asked("now/dismissed")).answer({});
  await away;
  older.answer(now([run("a", "running")], [run("f", "failed"), run("g", "failed")], [{}]));
  await isRead();
  expect(shown()).toEqual({ working: ["b queued"], failed: ["g"], health: 0, sums: [1, 1] });
  (await page.asked("now")).answer(now([run("b", "running")], [run("g", "failed")], [{}]));
  await expect.poll(shown).toEqual({ working: ["b running"], failed: ["g"], health: 1, sums: [1, 1] });
  end();
});
