/** The schedule, whose months are answered out of order. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { PlayedPage } from "../played-page.ts";

type Store = typeof import("../../../../page/stores/schedule/schedule-store.ts");

const page = new PlayedPage("schedule-store");
let ScheduleStore: Store["ScheduleStore"];
beforeAll(async () => {
  ({ ScheduleStore } = await page.module<Store>("stores/schedule/schedule-store.ts"));
});
afterAll(() => page[Symbol.asyncDispose]());

/** Takes on what one reading of the schedule asks; its month is answered last. */
async function taken() {
  const month = await page.asked("schedule/month");
  const lists = await Promise.all(["schedules", "personas", "journal/facets"].map((path) => page.asked(path)));
  return (number: string) => {
    for (const list of lists) list.answer({ items: [], time_zone: "UTC" });
    month.answer({ month: number, days: [] });
  };
}

test("a month that comes after one has gone on to the next isn't shown", async () => {
  const store = new ScheduleStore("202505");
  const may = store.read();
  const answerMay = await taken();
  const june = store.showMonth("202506");
  const answerJune = await taken();
  answerJune("202506");
  (await page.asked("schedule/history")).answer({ items: [] });
  await june;
  answerMay("202505");
  await may;
  expect(store.month.value?.month).toBe("202506");
});

test("a month that comes before the next one, to which one has gone on, isn't shown", async () => {
  const store = new ScheduleStore("202505");
  const may = store.read();
  const answerMay = await taken();
  const june = store.showMonth("202506");
  const answerJune = await taken();
  answerMay("202505");
  await may;
  expect(store.month.value).toBe(null);
  answerJune("202506");
  (await page.asked("schedule/history")).answer({ items: [] });
  await june;
  expect(store.month.value?.month).toBe("202506");
});
