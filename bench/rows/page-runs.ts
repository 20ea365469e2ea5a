/** The list of runs in a browser, in a journal of very many: scrolled to its end and back, its longest task and how long that takes. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Browser } from "playwright-core";
import { readEndpoints } from "../../journal/access/endpoints.ts";
import { letIn, startBrowser } from "../../test/page/browser.ts";
import { linkOf } from "../../test/page/page-program.ts";
import { UpJournal } from "../../test/supervisor/up-process.ts";
import type { Benchmark } from "../harness/figures/benchmark.ts";
import { writeEndedRuns } from "../harness/made/ended-runs.ts";

const lookMs = 250;
/** A flick of a finger: so many pixels in a frame. */
const flick = 3000;

export const measure: Benchmark = async ({ rounds, isQuick }) => {
  const count = isQuick ? 5_000 : 100_000;
  await using journal = new UpJournal({ channels: { web: { enabled: true } } });
  writeEndedRuns(journal.path, count);
  await journal.start().isUp();
  await using browser = await startBrowser();
  while ((await totalOf(journal)) !== count) await delay(lookMs);
  const looks = [];
  for (let round = 0; round < rounds; round++) looks.push(await scroll(browser, journal));
  const what = `the list of ${count.toLocaleString("en")} runs`;
  return [
    {
      what: `${what}: until rows are shown`,
      unit: "ms",
      ours: looks.map(({ shown }) => shown),
      target: { atMost: 300 },
    },
    {
      what: `${what}, scrolled to its end and back while it is read: the longest task`,
      unit: "ms",
      ours: looks.map(({ longest }) => longest),
      target: { atMost: 50 },
    },
    { what: "the same: the longest frame", unit: "ms", ours: looks.map(({ frame }) => frame), target: null },
    {
      what: "the same: until the oldest run is shown",
      unit: "ms",
      ours: looks.map(({ atEnd }) => atEnd),
      target: null,
    },
  ];
};

const urlOf = (journal: UpJournal) => readEndpoints(journal.path)?.web_url ?? "";
const tokenOf = (journal: UpJournal) => readFileSync(join(journal.path, ".run/web-token"), "utf8").trim();

/** How many the index has; null while not all have been read. */
async function totalOf(journal: UpJournal): Promise<number | null> {
  const headers = { Authorization: `Bearer ${tokenOf(journal)}` };
  const response = await fetch(`${urlOf(journal)}/api/v1/runs?limit=1`, { headers });
  return ((await response.json()) as { total: number | null }).total;
}

/** Told by the browser: tasks of 50 ms and more, and each frame. The first task that counts is behind the first rows. */
const watching = `
  globalThis.seen = { longest: 0, frame: 0, at: performance.now() };
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) seen.longest = Math.max(seen.longest, duration);
  }).observe({ entryTypes: ["longtask"] });
  const frame = (at) => {
    seen.frame = Math.max(seen.frame, at - seen.at);
    seen.at = at;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);`;

/** Scrolls by a flick in each frame until the end, or the beginning, is reached and shows a run. */
const scrolled = (by: number) => `
  new Promise((resolve) => {
    const list = document.querySelector(".run-rows");
    const step = () => {
      list.scrollTop += ${by};
      const isThere = ${by} > 0 ? list.scrollTop + list.clientHeight >= list.scrollHeight - 1 : list.scrollTop === 0;
      const last = list.querySelector("li:${by > 0 ? "last" : "first"}-child");
      if (isThere && !last.classList.contains("waits")) resolve(performance.now());
      else requestAnimationFrame(step);
    };
    step();
  })`;

async function scroll(browser: Browser, journal: UpJournal) {
  await using tab = await letIn(browser, await linkOf(urlOf(journal), tokenOf(journal)));
  const { page } = tab;
  page.setDefaultTimeout(300_000);
  await page.locator("h1").waitFor();
  await page.goto(`${urlOf(journal)}/runs`);
  await page.locator(".run-line:not(.waits)").first().waitFor();
  const shown = await page.evaluate<number>("performance.now()");
  await page.evaluate(watching);
  const from = await page.evaluate<number>("performance.now()");
  const end = await page.evaluate<number>(scrolled(flick));
  await page.evaluate(scrolled(-flick));
  const { longest, frame } = await page.evaluate<{ longest: number; frame: number }>("seen");
  return { shown, longest, frame, atEnd: end - from };
}
