/** The frame of the page in a browser: signing in, the ways between views, devices, and what axe says of all. */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { decodeQR } from "qr/decode.js";
import type { Browser, BrowserContext } from "playwright-core";
import { views } from "../../../page/words/navigation/views.ts";
import { axeProblems, letIn, looks, overflow, startBrowser, takeAsked } from "../browser.ts";
import { patienceMs } from "../../support/patience.ts";
import { given, press, pressTogether, reach } from "../by-keys.ts";
import { type PageProgram, startPage } from "../page-program.ts";

const built = (path: string) => fileURLToPath(new URL(`../../../dist/page/${path}`, import.meta.url));

let browser: Browser;
let program: PageProgram;

beforeAll(async () => {
  [browser, program] = await Promise.all([startBrowser(), startPage()]);
});
afterAll(async () => {
  await browser?.close();
  await program?.[Symbol.asyncDispose]();
});

test("the first view needs at most 90 KiB of script", () => {
  const index = readFileSync(built("index.html"), "utf8");
  const scripts = [...index.matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)].map(([, path = ""]) => path);
  expect(scripts.length).toBeGreaterThan(0);
  const bytes = scripts.reduce((sum, path) => sum + statSync(built(`${path}.br`)).size, 0);
  expect(bytes).toBeLessThan(90 * 1024);
});

test("each view is reached by its link, has a title and an h1 of its own, and asks no other origin", async () => {
  await using tab = await letIn(browser, await program.link());
  const { page, complaints } = tab;
  expect(new URL(page.url()).search).toBe("");
  const foreign: string[] = [];
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== program.url) foreign.push(request.url());
  });
  const titles = new Set<string>();
  expect(await page.locator("nav").count()).toBe(1);
  for (const { title, path } of views) {
    await page.getByRole("navigation").getByRole("link", { name: title, exact: true }).click();
    await page.waitForFunction((expected) => document.title.startsWith(expected), title);
    await page.locator("h1").waitFor();
    expect(new URL(page.url()).pathname).toBe(path);
    expect(await page.locator("h1").count()).toBe(1);
    titles.add(await page.title());
    expect(await page.locator('nav [aria-current="page"]').innerText()).toBe(title);
  }
  expect(titles.size).toBe(views.length);
  await page.goto(`${program.url}/nothing/here`);
  await page.locator("h1", { hasText: "No such page" }).waitFor();
  expect([foreign, complaints]).toEqual([[], []]);
});

test.each(looks)(
  "axe finds nothing on any view at $width in $colorScheme, and none is wider than the window",
  async (look) => {
    await using tab = await letIn(browser, await program.link(), look);
    for (const { title, path } of views) {
      await tab.page.goto(`${program.url}${path}`);
      await tab.page.waitForFunction((expected) => document.title.startsWith(expected), title);
      await tab.page.locator("h1").waitFor();
      expect([title, await axeProblems(tab.page), await overflow(tab.page)]).toEqual([title, [], 0]);
    }
    expect(tab.complaints).toEqual([]);
  },
);

test("keys lead to views and to the lists of keys and of what is found, and none of them works in a field", async () => {
  await using tab = await letIn(browser, await program.link());
  const { page } = tab;
  const heading = (title: string) => page.locator("h1", { hasText: title }).waitFor();
  await heading("Now");
  await pressTogether(page, "gs");
  await heading("Schedule");
  await page.keyboard.type("?");
  const keys = page.getByRole("dialog", { name: "Keys" });
  await keys.waitFor();
  expect(await axeProblems(page)).toEqual([]);
  await page.keyboard.type("gr"); // beside a dialog no key works
  await page.keyboard.press("Escape");
  await keys.waitFor({ state: "detached" });
  await heading("Schedule");

  await page.keyboard.press("Control+k");
  const finder = page.getByRole("dialog", { name: "Find" });
  await finder.getByRole("option", { name: "Now" }).waitFor();
  expect(await axeProblems(page)).toEqual([]);
  await page.keyboard.type("logs");
  await finder.getByRole("option", { name: "Logs", selected: true }).waitFor();
  await finder.getByRole("option", { name: "Now" }).waitFor({ state: "detached" });
  await page.keyboard.press("Enter");
  await heading("Logs");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("no such thing, ?gn");
  await finder.getByText("Nothing has").waitFor();
  await page.keyboard.press("Escape");
  await finder.waitFor({ state: "detached" });
  await heading("Logs");

  await page.keyboard.press("Control+k");
  await page.keyboard.type("review");
  await finder.getByRole("option", { name: "Reviewer", selected: true }).waitFor();
  await page.keyboard.press("Escape");

  await page.keyboard.press("Control+k");
  await page.keyboard.type("dark");
  await finder.getByRole("option", { name: "Dark", selected: true }).waitFor();
  await page.keyboard.press("Enter");
  await page.locator('html[data-theme="dark"]').waitFor();
  expect(tab.complaints).toEqual([]);
});

test("N begins a new request from every view", async () => {
  await using tab = await letIn(browser, await program.link());
  const { page, complaints } = tab;
  const dialog = page.getByRole("dialog", { name: "New request" });
  for (const { title, path } of views) {
    await page.goto(`${program.url}${path}`);
    await page.waitForFunction((expected) => document.title.startsWith(expected), title);
    await page.locator("h1").waitFor();
    await page.keyboard.press("n");
    await dialog.waitFor();
    expect(await page.getByRole("dialog").count()).toBe(1);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  }
  await page.keyboard.type("?");
  const keys = page.getByRole("dialog", { name: "Keys" });
  expect(await keys.getByText("new request", { exact: true }).count()).toBe(1);
  expect(await keys.getByText("N", { exact: true }).count()).toBe(2); // by itself, and behind G
  expect(complaints).toEqual([]);
});

test("a second key that was pressed in time leads on, however late a busy page hears of it", async () => {
  await using tab = await letIn(browser, await program.link());
  const { page } = tab;
  await page.locator("h1", { hasText: "Now" }).waitFor();
  await page.evaluate((busyMs) => {
    const stall = ({ key }: KeyboardEvent) => {
      if (key !== "g") return;
      for (const end = performance.now() + busyMs; performance.now() < end; );
    };
    // Behind the page's own.
    window.addEventListener("keydown", stall);
  }, 2000);
  await pressTogether(page, "gs");
  await page.locator("h1", { hasText: "Schedule" }).waitFor();
});

test("a link that is older than ten minutes lets nobody in", async () => {
  const link = await program.link();
  const database = new DatabaseSync(join(program.journal, "workspace.db"), { timeout: patienceMs });
  const { changes } = database.prepare("UPDATE session_links SET expires_at = ?").run(Date.now() - 1);
  database.close();
  expect(changes).toBeGreaterThan(0);
  await using tab = await letIn(browser, link);
  await tab.page.locator("h1", { hasText: "This link has been used, or is too old" }).waitFor();
  expect(await tab.context.cookies()).toEqual([]);
});

test("who wants less motion or more contrast has it: nothing takes time then, and ink is at its strongest", async () => {
  await using tab = await letIn(browser, await program.link());
  const { page } = tab;
  await page.goto(`${program.url}/logs`);
  await page.locator("h1").waitFor();
  const looksLike = () =>
    page.evaluate(() => {
      const style = getComputedStyle(document.documentElement);
      const takes = (name: string) => Number.parseFloat(style.getPropertyValue(name));
      return { ink: getComputedStyle(document.body).color, isStill: takes("--calm") === 0 && takes("--settle") === 0 };
    });
  await page.emulateMedia({ reducedMotion: "no-preference", contrast: "no-preference", colorScheme: "light" });
  expect(await looksLike()).toEqual({ ink: "rgb(27, 28, 30)", isStill: false });
  await page.emulateMedia({ reducedMotion: "reduce" });
  expect(await looksLike()).toEqual({ ink: "rgb(27, 28, 30)", isStill: true });
  await page.emulateMedia({ contrast: "more" });
  expect(await looksLike()).toEqual({ ink: "rgb(0, 0, 0)", isStill: true });
  expect(await axeProblems(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await looksLike()).toEqual({ ink: "rgb(255, 255, 255)", isStill: true });
  expect(await axeProblems(page)).toEqual([]);
});

test("each view has one h1 on a phone as well", async () => {
  await using tab = await letIn(browser, await program.link(), { width: 390, height: 844, colorScheme: "light" });
  const { page } = tab;
  for (const { title, path } of views) {
    await page.goto(`${program.url}${path}`);
    await page.waitForFunction((expected) => document.title.startsWith(expected), title);
    await page.locator("h1").waitFor();
    expect([path, await page.locator("h1").count()]).toEqual([path, 1]);
  }
});

test("a view that can’t be loaded says so, offers to try again, and the others go on", async () => {
  await using tab = await letIn(browser, await program.link());
  const { page } = tab;
  const isOfSchedule = (address: URL) => /\/assets\/schedule-view-[^/]*\.js$/.test(address.pathname);
  await page.locator("h1").waitFor();
  await takeAsked(page, isOfSchedule, (route) => route.abort());
  await page.getByRole("navigation").getByRole("link", { name: "Schedule", exact: true }).click();
  await page.locator("h1", { hasText: "broke off" }).waitFor();
  expect(await axeProblems(page)).toEqual([]);
  await page.getByRole("navigation").getByRole("link", { name: "Logs", exact: true }).click();
  await page.locator("h1", { hasText: "Logs" }).waitFor();
});

test("what the server can’t answer is told with a way to try again, which shows it once it is there", async () => {
  await using tab = await letIn(browser, await program.link());
  const { page, complaints } = tab;
  const held = Promise.withResolvers<void>();
  let asked = 0;
  await page.route("**/api/v1/sessions?*", async (route) => {
    if (++asked === 1) return route.fulfill({ status: 503, json: { error: { code: "unavailable", message: "away" } } });
    await held.promise;
    return route.continue();
  });
  await page.goto(`${program.url}/devices`);
  await page.getByText("away").waitFor();
  expect(await axeProblems(page)).toEqual([]);
  const list = page.getByRole("list", { name: "Devices" });
  await page.getByRole("button", { name: "Try again" }).click();
  // What is loading shows nothing of its own.
  expect(await list.count()).toBe(0);
  held.resolve();
  await list.getByText("this browser").waitFor();
  await page.getByText("away").waitFor({ state: "detached" });
  expect(complaints).toEqual([]);
});

test("the page without the live stream says since when, shows what it can read, and goes on by itself", async () => {
  await using tab = await letIn(browser, await program.link());
  const { page } = tab;
  const isStream = (address: URL) => address.pathname === "/api/v1/events";
  await page.route(isStream, (route) => route.abort());
  await page.goto(`${program.url}/devices`);
  const state = page.getByRole("contentinfo", { name: "State of the system" });
  await state.getByText(/^Not connected since \d\d:\d\d:\d\d\.$/).waitFor();
  await state.getByText("What you see is from then.").waitFor();
  await state.getByRole("button", { name: "Try now" }).waitFor();
  await page.getByRole("list", { name: "Devices" }).getByText("this browser").waitFor();
  expect(await axeProblems(page)).toEqual([]);
  await page.unroute(isStream);
  await state.getByText("What you see is from then.").waitFor({ state: "detached" });
});

test("a link from another site opens the page where one is let in, and the sign-in where one isn't", async () => {
  await using tab = await letIn(browser, await program.link());
  const { page } = tab;
  await page.locator("h1").waitFor();
  const elsewhere = `data:text/html,<a href="${program.url}/runs">a run</a>`;
  await page.goto(elsewhere);
  await page.getByRole("link").click();
  await page.locator("h1", { hasText: "Runs" }).waitFor();
  await tab.context.clearCookies();
  await page.goto(elsewhere);
  await page.getByRole("link").click();
  await page.locator("h1", { hasText: "Sign in" }).waitFor();
});

test("by keys alone a second device is let in by the code that the first one shows, and is shut out when it is revoked there", async () => {
  await using first = await letIn(browser, await program.link());
  const { page } = first;
  await page.locator("h1").waitFor();
  await pressTogether(page, "gv");
  const known = page.getByRole("list", { name: "Devices", includeHidden: true }).locator("li");
  await known.first().waitFor();
  const former = await known.count();
  const pair = page.getByRole("button", { name: "Pair a device" });
  await reach(page, pair);
  await press(page, "Enter");
  const dialog = page.getByRole("dialog", { name: "Pair a device" });
  await dialog.getByRole("img", { name: "Code of the link" }).waitFor();
  const link = await dialog.locator("pre").innerText();
  expect(await readCode(first.context, await dialog.getByRole("img", { name: "Code of the link" }).screenshot())).toBe(
    link,
  );
  expect(await axeProblems(page)).toEqual([]);
  await using second = await letIn(browser, link, { width: 390, height: 844, colorScheme: "light" });
  await second.page.locator("h1").waitFor();
  // Behind the dialog, the list will have it.
  await known.nth(former).waitFor({ state: "attached" });
  await press(page, "Escape");
  await dialog.waitFor({ state: "detached" });
  await given(page, pair);
  const rows = page.getByRole("list", { name: "Devices" }).getByRole("listitem");
  const before = former + 1;
  // J goes from row to row; X is for others than this one.
  const other = rows.filter({ hasNotText: "this browser" }).first();
  await reach(page, other.getByRole("button", { name: /^Revoke/ }), { by: "j", most: before });
  await press(page, "x");
  await page.waitForFunction(
    (count) => document.querySelectorAll('[aria-label="Devices"] > li').length === count - 1,
    before,
  );
  // The row in its place has the focus.
  await page.waitForFunction(() => document.activeElement?.closest('[aria-label="Devices"] > li') !== null);
  await second.page.locator("h1", { hasText: "Signed out" }).waitFor();
  await second.page.goto(`${program.url}/runs`);
  await second.page.locator("h1", { hasText: "Sign in" }).waitFor();
  expect(first.complaints).toEqual([]);
});

test("a row that is moved keeps the focus, and a device stays where it stands whoever was here last", async () => {
  await using first = await letIn(browser, await program.link());
  await using second = await letIn(browser, await program.link());
  await second.page.locator("h1").waitFor();
  const { page } = first;
  await page.goto(`${program.url}/devices`);
  const rows = page.getByRole("list", { name: "Devices" }).getByRole("listitem");
  await rows.first().getByText("this browser").waitFor();
  const other = rows.nth(1).getByRole("button", { name: /^Revoke/ });
  await other.focus();
  await rows.nth(1).evaluate((row) => row.parentElement?.prepend(row));
  await given(page, rows.first().getByRole("button", { name: /^Revoke/ }));
  await rows.nth(1).evaluate((row) => row.parentElement?.prepend(row));
  await given(page, other);
  const isRead = page.waitForResponse((answer) => answer.url().includes("/api/v1/sessions?"));
  await second.page.goto(`${program.url}/runs`);
  await second.page.locator("h1", { hasText: "Runs" }).waitFor();
  await isRead;
  await page.waitForResponse((answer) => answer.url().includes("/api/v1/sessions?"));
  await given(page, other);
  await rows.first().getByText("this browser").waitFor();
});

/** Reads a code as a camera would. @param picture a PNG */
async function readCode(context: BrowserContext, picture: Buffer): Promise<string> {
  const page = await context.newPage();
  const { data, ...size } = await page.evaluate(async (png) => {
    const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
    const { width, height } = bitmap;
    const canvas = new OffscreenCanvas(width, height).getContext("2d");
    canvas?.drawImage(bitmap, 0, 0);
    return { width, height, data: [...(canvas?.getImageData(0, 0, width, height).data ?? [])] };
  }, picture.toString("base64"));
  await page.close();
  return decodeQR({ ...size, data: Uint8Array.from(data) });
}
