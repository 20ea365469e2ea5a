/** Now in a browser, against a real system: a run from its request to its end, what fails, waits, is asked and is scheduled; by keys alone. */
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Browser, Page } from "playwright-core";
import { readEndpoints } from "../../../../journal/access/endpoints.ts";
import { fixtureAgent } from "../../../support/cortex-system.ts";
import { UpJournal } from "../../../supervisor/up-process.ts";
import { axeProblems, letIn, looks, overflow, startBrowser } from "../../browser.ts";
import { given, press, pressTogether, reach } from "../../by-keys.ts";
import { linkOf } from "../../page-program.ts";

const example = fileURLToPath(new URL("../../../../examples/journal", import.meta.url));

let journal: UpJournal;
let browser: Browser;
let url: string;
let token: string;

beforeAll(async () => {
  journal = new UpJournal();
  cpSync(example, journal.path, { recursive: true });
  journal.configure({
    default_backend: "scripted",
    backends: { scripted: fixtureAgent("scripted"), counter: fixtureAgent("counter") },
    max_concurrent: 2,
    permissions: [{ tool: "search_journal", decide: "ask" }],
    channels: { web: { enabled: true } },
  });
  const up = journal.start();
  [browser] = await Promise.all([startBrowser(), up.isUp()]);
  url = readEndpoints(journal.path)?.web_url ?? "";
  token = readFileSync(join(journal.path, ".run/web-token"), "utf8").trim();
});
afterAll(async () => {
  await browser?.close();
  await journal?.[Symbol.asyncDispose]();
});

/** Runs that a test has begun; none outlives it. */
const begun = new Set<string>();
afterEach(async () => {
  for (const id of begun) {
    await call("POST", `/runs/${id}/cancel`);
    await journal.until(() => journal.hasEnded(id), `${id} has ended`);
  }
  begun.clear();
});

const call = (method: string, path: string, body?: unknown) =>
  fetch(`${url}/api/v1${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      ...(body !== undefined && { "Content-Type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

/** Asks for a run, as a program would; returns its id. */
async function ask(body: Record<string, unknown>): Promise<string> {
  const response = await call("POST", "/runs", body);
  expect(response.status).toBe(202);
  const { id } = (await response.json()) as { id: string };
  begun.add(id);
  return id;
}

const counting = (name: string) =>
  ask({ backend: "counter", prompt: JSON.stringify({ file: join(journal.path, name), everyMs: 100 }) });

const part = (page: Page, name: string) => page.getByRole("region", { name: new RegExp(`^${name}`) });
const row = (page: Page, name: string, text: string | RegExp) =>
  part(page, name).locator("li.row").filter({ hasText: text });

const isMade = (event: unknown, tool: unknown) => event === "tool_end" && tool === "search_journal";

/** A page that says whether it was loaded again. */
async function nowPage(look?: Parameters<typeof letIn>[2]) {
  const tab = await letIn(browser, await linkOf(url, token), look);
  await part(tab.page, "Done today").waitFor();
  await tab.page.evaluate("globalThis.isSame = true");
  return tab;
}

const isSame = (page: Page) => page.evaluate<boolean>("globalThis.isSame === true");

test("a request that is sent with N is seen at its tool and in Done today, while the page stays as it is", async () => {
  await using tab = await nowPage();
  const { page, complaints } = tab;
  const [first, second] = [join(journal.path, "first"), join(journal.path, "second")];
  const steps = [
    { ev: { event: "start", model: "scripted" } },
    { ev: { event: "tool_start", tool: "read_meter", args: { place: "greenhouse" }, call_id: "1" } },
    { await: first },
    { ev: { event: "tool_end", call_id: "1", result: "0.41 mA" } },
    { ev: { event: "text", text: "The heater stays" } },
    { await: second },
    { ev: { event: "finish", result: "The heater stays until March." } },
  ];
  await press(page, "n");
  await given(page, page.getByRole("textbox", { name: /What do you want to know/ }));
  await page.keyboard.type(JSON.stringify(steps));
  await press(page, "Enter");
  const working = part(page, "Working")
    .locator("li.row")
    .filter({ has: page.locator("code", { hasText: "read_meter" }) });
  await working.getByText("greenhouse", { exact: true }).waitFor();
  expect(await working.locator('svg[aria-label="Working"]').count()).toBe(1);
  writeFileSync(first, "");
  await part(page, "Working").getByText("“The heater stays”").waitFor();
  writeFileSync(second, "");
  const done = row(page, "Done today", "The heater stays until March.");
  await done.waitFor();
  expect(await done.locator('svg[aria-label="Done"]').count()).toBe(1);
  await part(page, "Working").locator("li.row").waitFor({ state: "detached" });
  await reach(page, done, { by: "j" });
  await press(page, "Enter");
  await page.waitForURL(/\/runs\/\d{13}$/);
  await page.getByText("read_meter").first().waitFor();
  await pressTogether(page, "gn");
  await part(page, "Done today").waitFor();
  expect([await isSame(page), complaints]).toEqual([true, []]);
});

test("a run that failed goes when it was run again well with R; another is put away, and stays away", async () => {
  await using tab = await nowPage();
  const { page, complaints } = tab;
  const file = join(journal.path, "mended");
  const steps = [{ ev: { event: "start" } }, { await: file }, { ev: { event: "finish", result: "mended now" } }];
  // Run again, it has to end within this time.
  await ask({ prompt: JSON.stringify(steps), timeout_seconds: 10 });
  await ask({ prompt: '[{"exit": 3}]' });
  const late = row(page, "Failed", "Stopped at its limit of 10");
  const broken = row(page, "Failed", "exit 3");
  await Promise.all([late.waitFor(), broken.waitFor()]);
  writeFileSync(file, "");
  await reach(page, late, { by: "j" });
  await press(page, "r");
  await row(page, "Done today", "mended now").waitFor();
  await late.waitFor({ state: "detached" });
  await reach(page, broken, { by: "j" });
  await press(page, "Space");
  await reach(page, broken.getByRole("button", { name: "Put away" }), { most: 8 });
  await press(page, "Enter");
  await broken.waitFor({ state: "detached" });
  await page.reload();
  await part(page, "Failed").getByText("Nothing has failed.").waitFor();
  expect(complaints).toEqual([]);
});

test("a run waits for a place until another is stopped with X; one at work hears what is said with S", async () => {
  await using tab = await nowPage();
  const { page, complaints } = tab;
  await counting("one");
  await row(page, "Working", /\/one"/)
    .getByText("writes")
    .waitFor();
  await counting("two");
  await counting("three");
  const third = row(page, "Working", /\/three"/);
  await third.getByText("waits for a place").waitFor();
  const first = row(page, "Working", /\/one"/);
  await reach(page, first, { by: "j" });
  await press(page, "s");
  await given(page, page.getByRole("textbox", { name: /Say something to/ }));
  await page.keyboard.type("be quick");
  await press(page, "Enter");
  await journal.until(
    () => [...begun].some((id) => journal.file(id).some((event) => event["text"] === "heard be quick")),
    "it was heard",
  );
  await press(page, "Escape");
  await given(page, first);
  await reach(page, row(page, "Working", /\/two"/), { by: "k" });
  await press(page, "x");
  await third.getByText("waits for a place").waitFor({ state: "detached" });
  await part(page, "Done today").locator('svg[aria-label="Stopped"]').first().waitFor();
  expect([await isSame(page), complaints]).toEqual([true, []]);
});

test("what a schedule asked for is one row, with a tick a run, and opens with Space", async () => {
  await using bus = await journal.client();
  const asked = [1, 2, 3].map((n) => String(Date.now() - 50_000 + n));
  for (const id of asked)
    bus.connection.publish(
      "cortex.request",
      JSON.stringify({ ts: Number(id), prompt: `Reading ${id}`, persona: "reviewer", schedule: "reviewer" }),
    );
  await bus.connection.flush();
  for (const id of asked) await journal.until(() => journal.hasEnded(id), `${id} has ended`);
  await using tab = await nowPage();
  const { page } = tab;
  const folded = row(page, "Done today", "Reviewer");
  await folded.getByRole("img", { name: "3 runs today, all done" }).waitFor();
  expect(await folded.count()).toBe(1);
  await reach(page, folded, { by: "j" });
  await press(page, "Space");
  expect(await folded.locator(".runs-of a").count()).toBe(3);
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/runs\/\d{13}/);
});

/** Asks for runs as a schedule would. @returns their ids */
async function askBySchedule(schedule: string, prompts: readonly string[]): Promise<string[]> {
  await using bus = await journal.client();
  const ids = prompts.map((_, at) => String(Date.now() - 40_000 + at));
  for (const [at, prompt] of prompts.entries())
    bus.connection.publish(
      "cortex.request",
      JSON.stringify({ ts: Number(ids[at]), prompt, backend: "scripted", schedule }),
    );
  await bus.connection.flush();
  for (const id of ids) begun.add(id);
  return ids;
}

test("runs of a schedule at work are one row, and so are those that failed: each is stopped and put away within it", async () => {
  await using tab = await nowPage();
  const { page, complaints } = tab;
  const [one, two] = [join(journal.path, "end-1"), join(journal.path, "end-2")];
  const steps = (file: string) => JSON.stringify([{ ev: { event: "text", text: file } }, { await: file }, { exit: 3 }]);
  await askBySchedule("inspection", [steps(one), steps(two)]);
  await row(page, "Working", "2 runs at work").waitFor();
  await page.getByRole("heading", { name: "Working 2" }).waitFor();
  const folded = row(page, "Working", "2 runs at work").first();
  await reach(page, folded, { by: "j" });
  await press(page, "x");
  await press(page, "Space");
  const each = folded.locator(".rows-of > li.row");
  expect(await each.count()).toBe(2);
  expect([await overflow(page), await axeProblems(page)]).toEqual([0, []]);
  writeFileSync(one, "");
  writeFileSync(two, "");
  const failed = row(page, "Failed", "2 runs have failed").first();
  await reach(page, failed, { by: "j" });
  await press(page, "Space");
  const [newest, oldest] = [failed.locator(".rows-of > li.row").nth(0), failed.locator(".rows-of > li.row").nth(1)];
  await reach(page, newest, { by: "j", most: 1 });
  await reach(page, oldest, { by: "j", most: 1 });
  await press(page, "Space");
  await reach(page, oldest.getByRole("button", { name: "Put away" }), { most: 8 });
  await press(page, "Enter");
  // One alone stands for itself.
  await failed.waitFor({ state: "detached" });
  const last = row(page, "Failed", "exit 3");
  await reach(page, last, { by: "j" });
  await press(page, "Space");
  await reach(page, last.getByRole("button", { name: "Put away" }), { most: 8 });
  await press(page, "Enter");
  await last.waitFor({ state: "detached" });
  expect(complaints).toEqual([]);
});

test("the next run of a schedule is never in the opened row of the one before it", async () => {
  await using tab = await nowPage();
  const { page, complaints } = tab;
  const [one, two] = [join(journal.path, "watch-1"), join(journal.path, "watch-2")];
  const steps = (file: string) => JSON.stringify([{ await: file }, { exit: 3 }]);
  await askBySchedule("watch", [steps(one)]);
  await reach(page, row(page, "Working", "watch-1"), { by: "j" });
  await press(page, "Space");
  await part(page, "Working").locator(".is-open").waitFor();
  writeFileSync(one, "");
  await row(page, "Working", "ended a moment ago").waitFor();
  await askBySchedule("watch", [steps(two)]);
  await row(page, "Working", "watch-2").waitFor();
  expect(await part(page, "Working").locator(".is-open").count()).toBe(0);
  expect(complaints).toEqual([]);
});

test("one goes on from where a run has ended with S, and a run that asks is spoken to and stopped in its row", async () => {
  await using tab = await nowPage();
  const { page, complaints } = tab;
  const ended = await ask({ prompt: "look after the beans", backend: "scripted" });
  const done = row(page, "Done today", "echo: look after the beans");
  await reach(page, done, { by: "j" });
  await press(page, "s");
  await given(page, done.getByRole("textbox", { name: "Ask on, from here" }));
  await page.keyboard.type("and the peas");
  const answer = page.waitForResponse(/\/runs\/\d{13}\/continue$/);
  await press(page, "Enter");
  const { id } = (await (await answer).json()) as { id: string };
  await journal.until(() => journal.hasEnded(id), `${id} has ended`);
  expect(journal.file(id)[0]).toMatchObject({ continue_from: ended, prompt: "and the peas" });
  const asking = await ask({ prompt: "What did we decide about the greenhouse heater?", backend: "offline" });
  await press(page, "Escape");
  const waiting = part(page, "Needs you").locator("li.row.you");
  await reach(page, waiting, { by: "k" });
  await press(page, "s");
  await given(page, waiting.getByRole("textbox", { name: /^Say something to/ }));
  await page.keyboard.type("be quick");
  await press(page, "Enter");
  await journal.until(
    () => journal.file(asking).some(({ event, text }) => event === "input" && text === "be quick"),
    "it is told",
  );
  await press(page, "Escape");
  await given(page, waiting);
  await press(page, "x");
  await journal.until(() => journal.hasEnded(asking), `${asking} has ended`);
  await part(page, "Needs you").getByText("Nothing needs you.").waitFor();
  expect(complaints).toEqual([]);
});

test("decisions are made by keys alone: J and K walk, A allows, D denies, Enter leads to the run", async () => {
  await using tab = await nowPage();
  const { page, complaints } = tab;
  const questions = ["What did we decide about the greenhouse heater?", "What is due on Tuesday?"];
  const first = await ask({ prompt: questions[0], backend: "offline" });
  const waiting = part(page, "Needs you").locator("li.row.you");
  await waiting.nth(0).waitFor();
  await ask({ prompt: questions[1], backend: "offline" });
  await waiting.nth(1).waitFor();
  await page.waitForFunction(() => document.title.startsWith("Now (2)"));
  await reach(page, waiting.nth(0), { by: "j", most: 1 });
  await reach(page, waiting.nth(1), { by: "j", most: 1 });
  await reach(page, waiting.nth(0), { by: "k", most: 1 });
  await press(page, "a");
  await page.getByText(/^Allowed once by you/).waitFor();
  await journal.until(
    () => journal.file(first).some(({ event, tool, is_error }) => isMade(event, tool) && is_error !== true),
    "the allowed call is made",
  );
  await press(page, "j");
  await press(page, "d");
  await page.getByText(/^Denied by you/).waitFor();
  // What was denied is asked for in other words, until the run is stopped.
  for (const id of begun) await call("POST", `/runs/${id}/cancel`);
  await part(page, "Needs you").getByText("Nothing needs you.").waitFor();
  await page.waitForFunction(() => document.title.startsWith("Now ·") || document.title === "Now");
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/runs\/\d{13}/);
  expect(complaints).toEqual([]);
});

/** The texts that a model may write into its file. */
const hostile = [
  `<img src=x onerror="globalThis.hit=1">`,
  "\u202Eback\u0001wards\u001b[31m",
  `javascript:globalThis.hit=1 ${"W".repeat(3000)}`,
];

test.each(looks)(
  "axe finds nothing with something in every part, and no words break the layout, at $width in $colorScheme",
  async (look) => {
    for (const text of hostile) {
      const call = { ev: { event: "tool_start", tool: text, args: { text }, call_id: "1" } };
      const gone = await ask({ prompt: JSON.stringify([call, { ev: { event: "text", text } }, { exit: 3 }]) });
      await journal.until(() => journal.hasEnded(gone), `${gone} has ended`);
    }
    const steps = hostile.map((text, n) => ({
      ev: { event: "tool_start", tool: text, args: { text }, call_id: String(n) },
    }));
    await ask({ prompt: JSON.stringify([...steps, { await: join(journal.path, "never") }]) });
    await ask({ prompt: "What did we decide about the greenhouse heater?", backend: "offline" });
    await using tab = await nowPage(look);
    const { page, complaints } = tab;
    await part(page, "Needs you").locator("li.row").first().waitFor();
    await part(page, "Working").locator("li.row").first().waitFor();
    await part(page, "Failed").locator("li.row").first().waitFor();
    await part(page, "Failed").locator("li.row").first().focus();
    await page.keyboard.press("Space");
    const hit = await page.evaluate(() => "hit" in globalThis);
    expect([hit, await overflow(page), await axeProblems(page), complaints]).toEqual([false, 0, [], []]);
  },
);
