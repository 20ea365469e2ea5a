/** Now, which is answered later than its runs are heard of. */
import { expect, test } from "vitest";
import { type Now, NowNews, type RunRow } from "../../../../page/stores/now/now-news.ts";

const run = (id: string, state: RunRow["state"]) => ({ id, state }) as RunRow;
const answer = (working: RunRow[], total = working.length) =>
  ({ working, failed: [], health: [], totals: { working: total, failed: 0, done_today: 0 } }) as unknown as Now;
const shown = ({ working, totals }: Now) => [...working.map(({ id, state }) => `${id} ${state}`), totals.working];

test("runs that are heard of while Now is on its way are as they were heard of last", () => {
  const news = new NowNews();
  news.ask();
  for (const state of ["queued", "running"] as const) news.hear(run("new", state));
  news.hear(run("known", "waiting"));
  for (const state of ["running", "cancelled"] as const) news.hear(run("over", state));
  news.hear(run("nowhere", "finished"));
  const older = answer([run("over", "running"), run("known", "running")]);
  expect(shown(news.take(older))).toEqual(["new running", "known waiting", 2]);
});

test("what was heard before Now was asked for is no news", () => {
  const news = new NowNews();
  news.ask();
  news.hear(run("back", "failed"));
  news.hearPutAway("back");
  news.hearProblems([]);
  news.ask();
  const newer = answer([run("back", "running")]);
  expect(news.take(newer)).toBe(newer);
});

test("a run that may be one of those at work that aren't listed isn't counted twice", () => {
  const news = new NowNews();
  news.ask();
  news.hear(run("unlisted", "running"));
  expect(shown(news.take(answer([run("listed", "running")], 2)))).toEqual(["listed running", 2]);
});
