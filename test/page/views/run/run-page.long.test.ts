/** A run's page in a browser: it follows its end only there, keys, filters, what failed first, its family, and what can be done with it; on a phone, too. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Page, Request } from "playwright-core";
import type { Run } from "../../../../web/machine/records/run-records.ts";
import { fixtureAgent } from "../../../support/cortex-system.ts";
import { axeProblems, type Look, overflow, takeAsked } from "../../browser.ts";
import { ViewSystem } from "../../view-system.ts";

let system: ViewSystem;
beforeAll(async () => {
  system = await ViewSystem.start({
    default_backend: "scripted",
    backends: { scripted: fixtureAgent("scripted") },
  });
});
afterAll(() => system?.[Symbol.asyncDispose]());

const phone: Look = { width: 390, height: 844, colorScheme: "light" };

/** Runs that wait for a file, or that the page has begun; none outlives its test. */
const begun = new Set<string>();
afterEach(async () => {
  for (const id of begun) {
    await system.call("POST", `/runs/${id}/cancel`).catch(() => {});
    await hasEnded(id);
  }
  begun.clear();
});

const hasEnded = (id: string) => system.journal.until(() => system.journal.hasEnded(id), `${id} has ended`);

async function ask(body: Record<string, unknown>): Promise<string> {
  const { id } = await system.call<{ id: string }>("POST", "/runs", body);
  return id;
}

/** A run of the agent that does what its prompt says; it has ended. */
async function done(steps: object[], more: Record<string, unknown> = {}): Promise<string> {
  const id = await ask({ prompt: JSON.stringify(steps), ...more });
  await hasEnded(id);
  return id;
}

const start = { ev: { event: "start", model: "scripted" } };
const finish = { ev: { event: "finish", result: "All is said." } };
const called = (n: number, tool: string, args: object, result: unknown, more: object = {}) => [
  { ev: { event: "tool_start", tool, args, call_id: String(n) } },
  { ev: { event: "tool_end", tool, call_id: String(n), result, ...more } },
];
/** Texts, each of a model call of its own. */
const texts = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => at + from).flatMap((n) => [
    { ev: { event: "text", text: `line ${n}` } },
    { ev: { event: "usage", input_tokens: 1, output_tokens: 1 } },
  ]);

const events = (page: Page) => page.getByRole("region", { name: "Events" });
const rows = (page: Page) => events(page).getByRole("listitem");
/** The row of a call: the request's row holds its words as well. */
const callOf = (page: Page, tool: string) => rows(page).filter({ has: page.locator("code.tool", { hasText: tool }) });
const detail = (page: Page) => page.getByRole("complementary", { name: "Step" });
const runIn = (page: Page) => /\/runs\/(\d{13})/.exec(page.url())?.[1] ?? "";

/** Waits until the address is that of another run. */
async function otherRun(page: Page, known: string): Promise<string> {
  await page.waitForURL((url) => /^\/runs\/\d{13}$/.test(url.pathname) && !url.pathname.includes(known));
  const id = runIn(page);
  begun.add(id);
  return id;
}

const failing = [
  start,
  ...called(1, "read_meter", { place: "cellar" }, "no such meter", { is_error: true }),
  ...called(2, "read_meter", { place: "greenhouse" }, "0.41 mA"),
  ...called(3, "open_valve", { bed: "beans" }, "the valve is stuck\nat 40 %", { is_error: true }),
  { ev: { event: "error", error: "gave up on the valve", reason: "internal" } },
];

test("a run at work is followed while its end is in view; what is read further up never moves, and E goes back to the end", async () => {
  const [one = "", two = "", three = ""] = ["one", "two", "three"].map((name) => join(system.journal.path, name));
  const steps: object[] = [
    start,
    ...texts(1, 120),
    { await: one },
    ...texts(121, 150),
    { await: two },
    ...texts(151, 180),
    { await: three },
  ];
  const id = await ask({ prompt: JSON.stringify(steps) });
  begun.add(id);
  await using tab = await system.open(`/runs/${id}`);
  const { page, complaints } = tab;
  const scroller = events(page);
  await rows(page).filter({ hasText: "line 120" }).waitFor();
  writeFileSync(one, "");
  await rows(page).filter({ hasText: "line 150" }).waitFor();
  const left = () => scroller.evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight);
  expect(await left()).toBeLessThan(30);
  await scroller.evaluate((element) => element.scrollTo(0, 600));
  const read = rows(page)
    .filter({ hasText: /line 2[0-9]/ })
    .first();
  await read.waitFor();
  const place = async () => [
    await read.innerText(),
    (await read.boundingBox())?.y,
    await scroller.evaluate(({ scrollTop }) => scrollTop),
  ];
  const before = await place();
  writeFileSync(two, "");
  const fresh = page.getByRole("button", { name: /new$/ });
  await fresh.waitFor();
  await page.waitForFunction(() => /30 new/.test(document.querySelector(".tail")?.textContent ?? ""));
  expect(await place()).toEqual(before);
  await page.keyboard.press("e");
  await rows(page).filter({ hasText: "line 180" }).waitFor();
  expect(await left()).toBeLessThan(30);
  await fresh.waitFor({ state: "detached" });
  writeFileSync(three, "");
  expect(complaints).toEqual([]);
});

test("the last failed step is shown first, F goes to the first of them, and filters show one tool or the failed steps alone", async () => {
  const id = await done(failing);
  await using tab = await system.open(`/runs/${id}`);
  const { page, complaints } = tab;
  const failed = page.getByRole("region", { name: "What failed" });
  await failed.getByText("gave up on the valve").waitFor();
  await failed.getByText("the valve is stuck").waitFor();
  await detail(page).getByText("open_valve").waitFor();
  await page.keyboard.press("f");
  await detail(page).getByText("no such meter").waitFor();
  await page.getByRole("combobox", { name: "Tool" }).selectOption({ label: "read_meter 2" });
  await callOf(page, "open_valve").waitFor({ state: "detached" });
  expect(await rows(page).count()).toBe(2);
  await page.getByRole("combobox", { name: "Tool" }).selectOption({ label: "Any tool" });
  await page.getByRole("button", { name: /^Failed/ }).click();
  await callOf(page, "read_meter").filter({ hasText: "greenhouse" }).waitFor({ state: "detached" });
  await callOf(page, "open_valve").waitFor();
  expect(complaints).toEqual([]);
});

test("a part of the axis is drawn out with the pointer, and Z shows all again", async () => {
  const id = await done(failing);
  await using tab = await system.open(`/runs/${id}`);
  const { page, complaints } = tab;
  const lanes = page.getByRole("figure");
  // All of it is there: until then what failed grows above the lanes, and their end is now.
  await page.getByRole("region", { name: "What failed" }).getByText("the valve is stuck").waitFor();
  await lanes.getByText(/so far$/).waitFor({ state: "detached" });
  const whole = await lanes.getAttribute("aria-label");
  const box = await lanes.boundingBox();
  if (!box) throw new Error("there are no lanes");
  await page.mouse.move(box.x + box.width * 0.3, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.6, box.y + 40, { steps: 4 });
  await page.mouse.up();
  await page.getByRole("button", { name: "Show all" }).waitFor();
  await page.keyboard.press("z");
  await page.getByRole("button", { name: "Show all" }).waitFor({ state: "detached" });
  expect(await lanes.getAttribute("aria-label")).toBe(whole);
  expect(complaints).toEqual([]);
});

test("steps are filtered by the attempt that they belong to", async () => {
  const again = { ev: { event: "start", model: "scripted", attempt: 2 } };
  const id = await done([
    start,
    ...called(1, "read_meter", { place: "cellar" }, "1"),
    again,
    ...called(2, "open_valve", { bed: "beans" }, "open"),
    finish,
  ]);
  await using tab = await system.open(`/runs/${id}`);
  const { page } = tab;
  await callOf(page, "open_valve").waitFor();
  const attempts = page.getByRole("group", { name: "Attempt" });
  await attempts.getByRole("button", { name: "1", exact: true }).click();
  await callOf(page, "open_valve").waitFor({ state: "detached" });
  await callOf(page, "read_meter").waitFor();
  await attempts.getByRole("button", { name: "2", exact: true }).click();
  await callOf(page, "open_valve").waitFor();
  await callOf(page, "read_meter").waitFor({ state: "detached" });
});

test("a run is continued with C, done again with R and of another model, and its family is walked", async () => {
  const first = await done([start, finish]);
  await using tab = await system.open(`/runs/${first}`);
  const { page, complaints } = tab;
  await page.getByText("Done", { exact: true }).first().waitFor();
  await page.keyboard.press("c");
  await page.getByRole("textbox", { name: "Ask on, from here" }).fill("and then?");
  await page.keyboard.press("Enter");
  const continued = await otherRun(page, first);
  await page.getByText("echo: and then?").first().waitFor();
  const family = page.getByRole("region", { name: "Family" });
  await family.getByRole("listitem").filter({ hasText: "continued from" }).waitFor();
  // Its end is seen here later than in its file.
  await page.getByRole("button", { name: /^Run again/ }).waitFor();
  await page.keyboard.press("r");
  const again = await otherRun(page, continued);
  await hasEnded(again);
  await page.getByRole("button", { name: /^More/ }).click();
  await page.getByRole("button", { name: "Run again with another model or persona" }).click();
  const dialog = page.getByRole("dialog", { name: "Run again with" });
  await dialog
    .getByRole("textbox", { name: "Model" })
    .or(dialog.getByRole("combobox", { name: "Model" }))
    .fill("other-model");
  await dialog.getByRole("combobox", { name: "Persona" }).selectOption("reviewer");
  await dialog.getByRole("button", { name: "Run again" }).click();
  const other = await otherRun(page, again);
  await hasEnded(other);
  const { request } = await system.call<Run>("GET", `/runs/${other}`);
  expect(request).toMatchObject({ prompt: "and then?", persona: "reviewer", model: "other-model", again_of: again });
  // From the last back to the first, by links alone.
  await family.getByRole("listitem").filter({ hasText: "run before" }).first().getByRole("link").click();
  await page.waitForURL(`**/runs/${again}`);
  await page.goto(`${system.url}/runs/${first}`);
  await family.getByRole("listitem").nth(3).waitFor();
  const words = (await family.getByRole("listitem").allInnerTexts()).map(
    (text) => /run again|continued$|This run/.exec(text)?.[0],
  );
  expect(words).toEqual(["This run", "continued", "run again", "run again"]);
  await family.getByRole("link").first().click();
  await page.waitForURL(`**/runs/${continued}`);
  expect(complaints).toEqual([]);
});

/** Holds what an open page posts to an address that ends so. */
async function holdPosts(page: Page, end: string) {
  const posted: Request[] = [];
  const [arrived, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await takeAsked(
    page,
    ({ pathname }) => pathname.endsWith(end),
    async (route) => {
      if (route.request().method() !== "POST") return route.fallback();
      posted.push(route.request());
      arrived.resolve();
      await released.promise;
      await route.continue();
    },
  );
  return { posted, arrived: arrived.promise, release: () => released.resolve() };
}

test("Enter that is pressed twice says it to the run once, and what is typed meanwhile stays, also when the run ends", async () => {
  const last = join(system.journal.path, "last");
  const id = await ask({ prompt: JSON.stringify([start, { hear: true }, { await: last }, finish]) });
  begun.add(id);
  await using tab = await system.open(`/runs/${id}`);
  const { page, complaints } = tab;
  const held = await holdPosts(page, `/runs/${id}/input`);
  await page.getByRole("button", { name: /^Say/ }).waitFor();
  await page.keyboard.press("s");
  const field = page.getByRole("textbox", { name: /^Say something to/ });
  await field.fill("Water the beans");
  await field.press("Enter");
  await held.arrived;
  await field.press("Enter");
  await field.fill("more");
  const answered = page.waitForResponse((response) => response.request() === held.posted[0]);
  held.release();
  await (await answered).finished();
  await rows(page).filter({ hasText: "Water the beans" }).first().waitFor();
  expect([await field.inputValue(), held.posted.length]).toEqual(["more", 1]);
  writeFileSync(last, "");
  const onward = page.getByRole("textbox", { name: "Ask on, from here" });
  await onward.waitFor();
  await onward.press("End");
  await page.keyboard.type(" of it");
  expect(await onward.inputValue()).toBe("more of it");
  await onward.press("Enter");
  await otherRun(page, id);
  await page.getByText("echo: more of it").first().waitFor();
  expect(complaints).toEqual([]);
});

test("Enter that is pressed twice makes one request, and what is typed meanwhile stays", async () => {
  const id = await done([start, finish]);
  await using tab = await system.open(`/runs/${id}`);
  const { page, complaints } = tab;
  const held = await holdPosts(page, "/api/v1/runs");
  await page.getByRole("button", { name: /^Run again/ }).waitFor();
  await page.keyboard.press("n");
  const dialog = page.getByRole("dialog", { name: "New request" });
  const field = dialog.getByRole("textbox");
  await field.fill("What is due?");
  await field.press("Enter");
  await held.arrived;
  await field.press("Enter");
  await field.fill("more");
  held.release();
  // It is sent as soon as the first one has been answered.
  await expect
    .poll(async () => {
      await field.press("Enter");
      return held.posted.length;
    })
    .toBeGreaterThan(1);
  await dialog.waitFor({ state: "detached" });
  const asked = await Promise.all(held.posted.map(async (one) => (await one.response())?.json() as Promise<Run>));
  for (const { id: run } of asked) begun.add(run);
  expect(held.posted.map((one) => (one.postDataJSON() as { prompt: string }).prompt)).toEqual(["What is due?", "more"]);
  expect(complaints).toEqual([]);
});

test("a change is shown as lines that went and came, and a picture as a picture", async () => {
  const png = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );
  const stored = await fetch(`${system.url}/v1/attachments?name=dot.png`, {
    method: "POST",
    headers: { ...system.authorization, "Content-Type": "image/png" },
    body: png,
  });
  expect(stored.status).toBe(201);
  const part = (await stored.json()) as { id: string; name: string; mime: string };
  const edit = { path: "notes/beds.md", old_str: "beans in April", new_str: "beans in May" };
  const id = await done([
    start,
    ...called(1, "edit", edit, "done"),
    ...called(2, "draw", { what: "a dot" }, "drawn", { parts: [part] }),
    finish,
  ]);
  await using tab = await system.open(`/runs/${id}`);
  const { page, complaints } = tab;
  await callOf(page, "edit").getByRole("button").click();
  const change = detail(page).locator(".diff");
  await change.locator(".del", { hasText: "beans in April" }).waitFor();
  await change.locator(".add", { hasText: "beans in May" }).waitFor();
  await callOf(page, "draw").getByRole("button").click();
  const picture = detail(page).getByRole("img", { name: part.name });
  await picture.waitFor();
  await page.waitForFunction(() => document.querySelector<HTMLImageElement>("img.shown-file")?.naturalWidth === 1);
  expect(complaints).toEqual([]);
});

test("the command that makes the request again is copied, and that which shows the run", async () => {
  const id = await ask({ prompt: "it's due?", persona: "reviewer", backend: "scripted" });
  await hasEnded(id);
  await using tab = await system.open(`/runs/${id}`);
  const { page, context, complaints } = tab;
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const copied = async (name: string) => {
    await page.getByRole("button", { name: /^More/ }).click();
    await page.getByRole("button", { name, exact: true }).click();
    await page.getByRole("button", { name, exact: true }).waitFor({ state: "hidden" });
    return page.evaluate(() => navigator.clipboard.readText());
  };
  expect(await copied("Copy as command")).toBe("cortex-request -p reviewer -b scripted -m scripted 'it'\\''s due?'");
  expect(await copied("Copy the command that shows it")).toBe(`cortex runs show ${id}`);
  expect(complaints).toEqual([]);
});

test("a failed run on a phone shows its error and the failed step first, and a press on a step shows it in place", async () => {
  const id = await done(failing);
  await using tab = await system.open(`/runs/${id}`, phone);
  const { page, complaints } = tab;
  const failed = page.getByRole("region", { name: "What failed" });
  await failed.getByText("gave up on the valve").waitFor();
  await failed.getByText("open_valve").waitFor();
  await failed.getByText("the valve is stuck").waitFor();
  const places = await Promise.all([failed, events(page)].map((part) => part.boundingBox()));
  expect(places[0]?.y).toBeLessThan(places[1]?.y ?? 0);
  expect((places[0]?.y ?? 0) + (places[0]?.height ?? 0)).toBeLessThan(phone.height);
  expect(await page.getByRole("figure").isVisible()).toBe(false);
  await callOf(page, "open_valve").getByRole("button", { expanded: false }).click();
  const opened = page.getByRole("group", { name: "Step", exact: true });
  await opened.getByText("at 40 %", { exact: false }).waitFor();
  expect([await page.locator("h1").count(), await overflow(page), await axeProblems(page)]).toEqual([1, 0, []]);
  await callOf(page, "open_valve").getByRole("button", { expanded: true }).click();
  await opened.waitFor({ state: "detached" });
  expect(complaints).toEqual([]);
});
