/** The frame of the page in a browser: signing in, the ways between views, devices, and what axe says of all. */
import { readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Browser } from "playwright-core";
import { views } from "../../page/words/views.ts";
import { axeProblems, letIn, looks, overflow, startBrowser } from "./browser.ts";
import { type PageProgram, startPage } from "./page-program.ts";

const built = (path: string) => fileURLToPath(new URL(`../../dist/page/${path}`, import.meta.url));

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
  await page.keyboard.type("gs");
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

test("a second device is let in by the code that the first one shows, and is shut out when it is revoked there", async () => {
  await using first = await letIn(browser, await program.link());
  const { page } = first;
  await page.goto(`${program.url}/devices`);
  await page.getByRole("button", { name: "Pair a device" }).click();
  const dialog = page.getByRole("dialog", { name: "Pair a device" });
  await dialog.getByRole("img", { name: "Code of the link" }).waitFor();
  const link = await dialog.locator("pre").innerText();
  expect(await axeProblems(page)).toEqual([]);
  await using second = await letIn(browser, link, { width: 390, height: 844, colorScheme: "light" });
  await second.page.locator("h1").waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  const rows = page.getByRole("list", { name: "Devices" }).getByRole("listitem");
  await page.waitForFunction(() => document.querySelectorAll('[aria-label="Devices"] > li').length >= 2);
  const before = await rows.count();
  await rows
    .filter({ hasNotText: "this browser" })
    .first()
    .getByRole("button", { name: /Revoke/ })
    .click();
  await page.waitForFunction(
    (count) => document.querySelectorAll('[aria-label="Devices"] > li').length === count - 1,
    before,
  );
  expect(first.complaints).toEqual([]);
});
