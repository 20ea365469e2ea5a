/** The first view in a browser: until its rows are shown, in a journal of very many runs; and its long tasks and memory while runs say very much. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Browser, Page } from "playwright-core";
import { readEndpoints } from "../../journal/access/endpoints.ts";
import { letIn, startBrowser } from "../../test/page/browser.ts";
import { linkOf } from "../../test/page/page-program.ts";
import { fixtureAgent } from "../../test/support/cortex-system.ts";
import { UpJournal } from "../../test/supervisor/up-process.ts";
import type { Benchmark } from "../harness/figures/benchmark.ts";
import { endedRun, writeEndedRuns } from "../harness/made/ended-runs.ts";
import { until } from "../harness/until.ts";

/** Runs of today: what the view shows. */
const shown = 30;
const minuteMs = 60_000;
const lookMs = 250;
/** So many runs say something so often: a thousand events a second and more, since timers are late. */
const [talkers, everyMs] = [20, 18];

const settings = {
  default_backend: "counter",
  backends: { counter: fixtureAgent("counter") },
  max_concurrent: talkers,
  channels: { web: { enabled: true } },
};

export const measure: Benchmark = async ({ rounds, isQuick }) => {
  const count = isQuick ? 5_000 : 100_000;
  await using full = new UpJournal(settings);
  await using empty = new UpJournal(settings);
  writeEndedRuns(full.path, count);
  const journals = { full, empty };
  for (const journal of Object.values(journals)) {
    writeToday(journal.path);
    await journal.start().isUp();
  }
  await using browser = await startBrowser();
  while ((await runsRead(full)) !== count + shown) await delay(lookMs);
  const took = { full: [] as number[], empty: [] as number[] };
  for (let round = 0; round < rounds; round++)
    for (const name of ["full", "empty"] as const) took[name].push(await timeNow(browser, journals[name]));
  const talk = await listen(browser, empty, isQuick ? 5_000 : minuteMs);
  return [
    {
      what: `the page's first view, ${count.toLocaleString("en")} run files: until its rows are shown`,
      unit: "ms",
      ours: took.full,
      target: { atMost: 300 },
    },
    { what: "the page's first view, an empty journal", unit: "ms", ours: took.empty, target: null },
    {
      what: `${talk.events} events a second: the page's longest task`,
      unit: "ms",
      ours: [talk.longest],
      target: { atMost: 50 },
    },
    { what: "the same: what its heap grows by", unit: "MiB", ours: [talk.grown], target: { atMost: 4 } },
  ];
};

function writeToday(journal: string): void {
  for (let run = 0; run < shown; run++) {
    const id = String(Date.now() - 1000 * (run + 10));
    const [path, text] = endedRun(id, [
      { event: "request", ts: Number(id), prompt: `What is due, point ${run}?` },
      { event: "start", attempt: 1, persona: "default", backend: "openai", model: "gpt-bench", prompt: "…" },
      { event: "finish", result: `Point ${run} is due.` },
    ]);
    mkdirSync(dirname(join(journal, path)), { recursive: true });
    writeFileSync(join(journal, path), text);
  }
}

const urlOf = (journal: UpJournal) => readEndpoints(journal.path)?.web_url ?? "";
const tokenOf = (journal: UpJournal) => readFileSync(join(journal.path, ".run/web-token"), "utf8").trim();

/** How many the index has; null while not all have been read. */
async function runsRead(journal: UpJournal): Promise<number | null> {
  const headers = { Authorization: `Bearer ${tokenOf(journal)}` };
  const response = await fetch(`${urlOf(journal)}/api/v1/runs?limit=1`, { headers });
  return ((await response.json()) as { total: number | null }).total;
}

/** Tells when the first frame with rows was drawn. */
const noteRows = `
  const look = () => {
    if (!document.querySelector(".now li.row")) return;
    watch.disconnect();
    requestAnimationFrame(() => { globalThis.rowsAt = performance.now(); });
  };
  const watch = new MutationObserver(look);
  watch.observe(document, { childList: true, subtree: true });`;

async function timeNow(browser: Browser, journal: UpJournal): Promise<number> {
  await using tab = await letIn(browser, await linkOf(urlOf(journal), tokenOf(journal)));
  const { page } = tab;
  await page.locator(".now li.row").first().waitFor();
  await page.addInitScript(noteRows);
  await page.goto(urlOf(journal));
  await page.locator(".now li.row").first().waitFor();
  // The frame in which they are drawn comes next.
  for (;;) {
    const at = await page.evaluate<number | undefined>("globalThis.rowsAt");
    if (at !== undefined) return at;
  }
}

const noteTasks = `
  globalThis.longest = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) globalThis.longest = Math.max(globalThis.longest, duration);
  }).observe({ entryTypes: ["longtask"] });`;

/** A page that looks on while runs talk. Tasks of less than 50 ms aren't told by browsers. */
async function listen(browser: Browser, journal: UpJournal, forMs: number) {
  await using tab = await letIn(browser, await linkOf(urlOf(journal), tokenOf(journal)));
  const { page } = tab;
  await using bus = await journal.client();
  let events = 0;
  bus.connection.subscribe("cortex.event.>", { callback: () => void events++ });
  const first = Date.now() - minuteMs;
  const ids = Array.from({ length: talkers }, (_, index) => String(first + index));
  const prompt = JSON.stringify({ file: join(journal.path, "births"), everyMs });
  for (const id of ids) bus.connection.publish("cortex.request", JSON.stringify({ ts: Number(id), prompt }));
  await page
    .locator('.now svg[aria-label="Working"]')
    .nth(talkers - 1)
    .waitFor();
  await page.evaluate(noteTasks);
  const before = await heapOf(page);
  const [from, since] = [events, performance.now()];
  await delay(forMs);
  const perSecond = Math.round((1000 * (events - from)) / (performance.now() - since));
  const longest = await page.evaluate<number>("globalThis.longest");
  const grown = (await heapOf(page)) - before;
  for (const id of ids) bus.connection.publish(`cortex.cancel.${id}`, "{}");
  await until(() => ids.every((id) => journal.hasEnded(id)), "all have ended", minuteMs);
  return { events: perSecond, longest, grown: Math.max(0, grown) };
}

/** In MiB, after a collection. */
async function heapOf(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  await session.detach();
  return usedSize / 1024 / 1024;
}
