/** The finder in a browser, by keyboard alone, against a real system on the example journal: each kind of thing is found and leads there. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Browser, Page } from "playwright-core";
import { readEndpoints } from "../../../../journal/access/endpoints.ts";
import { writeDescriptor } from "../../../../journal/agents/agent-files.ts";
import { UpJournal } from "../../../supervisor/up-process.ts";
import { axeProblems, letIn, looks, overflow, startBrowser, takeAsked } from "../../browser.ts";
import { linkOf } from "../../page-program.ts";

const example = fileURLToPath(new URL("../../../../examples/journal", import.meta.url));
const question = "What did we decide about the greenhouse heater?";
/** As a model, a file or a person may name things. */
const hostile = `<img src=x onerror="globalThis.hit=1"> \u202Eback\u0001 ${"W".repeat(2000)}`;
const agent = "tz4a98xxat96iws9zmbrgj3a";

let journal: UpJournal;
let browser: Browser;
let url: string;
let token: string;
let thread: string;

beforeAll(async () => {
  journal = new UpJournal();
  cpSync(example, journal.path, { recursive: true });
  journal.configure({ default_backend: "offline", channels: { web: { enabled: true } } });
  const write = (path: string, text: string) => {
    mkdirSync(join(journal.path, path, ".."), { recursive: true });
    writeFileSync(join(journal.path, path), text);
  };
  write("personas/watcher.txt", "Look for frost.");
  write("personas/watcher.json", JSON.stringify({ schedule: "0 7 * * *" }));
  write("skills/bread/SKILL.md", "---\nname: bread\ndescription: Bakes bread.\n---\nBake.\n");
  write("memory/people/anna.md", "# Anna\n\n> Summary: the sister\n");
  await writeDescriptor(journal.path, { id: agent, kind: "main", name: "wren", created: 1 });
  const up = journal.start();
  [browser] = await Promise.all([startBrowser(), up.isUp()]);
  url = readEndpoints(journal.path)?.web_url ?? "";
  token = readFileSync(join(journal.path, ".run/web-token"), "utf8").trim();
  for (const prompt of [question, hostile]) await post("/runs", { prompt });
  const { id } = await post("/workspaces", { name: "Home" });
  ({ id: thread } = await post(`/workspaces/${id}/threads`, { title: "Kitchen planning" }));
});
afterAll(async () => {
  await browser?.close();
  await journal?.[Symbol.asyncDispose]();
});

/** Asks the API, as a program would. */
async function post(path: string, body: object): Promise<{ id: string }> {
  const response = await fetch(`${url}/api/v1${path}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as { id: string };
}

const link = () => linkOf(url, token);

/** Opens the finder, and types. */
async function find(page: Page, text: string) {
  await page.getByRole("navigation").first().waitFor();
  await page.keyboard.press("Control+k");
  const finder = page.getByRole("dialog", { name: "Find" });
  await finder.waitFor();
  await page.keyboard.type(text);
  return finder;
}

/** Walks down to an option, and opens it: when all have answered, since what is found later may be first then. */
async function walkTo(page: Page, name: string | RegExp): Promise<void> {
  const finder = page.getByRole("dialog", { name: "Find" });
  await finder.getByRole("option", { name }).first().waitFor();
  await finder.locator("[role=listbox][aria-busy=false]").waitFor();
  const chosen = finder.getByRole("option", { name, selected: true });
  const options = finder.getByRole("option");
  // A source that takes long is passed over, and answers later: then there are more of them.
  for (let at = 0; at < (await options.count()) && !(await chosen.isVisible()); at++)
    await page.keyboard.press("ArrowDown");
  await chosen.waitFor();
  await page.keyboard.press("Enter");
}

test("each kind of thing is found by a few letters, and Enter leads there", async () => {
  await using tab = await letIn(browser, await link());
  const { page, complaints } = tab;
  for (const [typed, name, path] of [
    ["wren", "Wren", `/agents/live/${agent}`],
    ["talk wren", "Talk with Wren", `/chat/${agent}`],
    ["reviewer", /^Reviewer/, "/agents/reviewer"],
    ["greenhouse heater", new RegExp(`^${question.slice(0, -1)}`), /^\/runs\/\d{13}$/],
    ["kitchen planning", "Kitchen planning", `/threads/${thread}`],
    ["12 jan 2025", /12 January 2025/, "/journal/20250112"],
    ["harbor", /Harbor/, "/journal/facets/harbor"],
    ["bubble wrap", /20250111\/notes\.md$/, "/journal/files/20250111/notes.md"],
    ["bread", /^bread/, "/agents/skills/bread"],
    ["anna", "people/anna.md", "/agents/memory/people/anna.md"],
    ["search_journal", /^search_journal/, "/agents/tools/search_journal"],
    ["log web", "Log of channel-web", "/logs?program=channel-web"],
    ["failed", /^Failed runs/, "/runs?state=failed"],
  ] as const) {
    await find(page, typed);
    await walkTo(page, name);
    await page.getByRole("dialog", { name: "Find" }).waitFor({ state: "detached" });
    const { pathname, search } = new URL(page.url());
    expect(pathname + search).toEqual(typeof path === "string" ? path : expect.stringMatching(path));
  }
  expect(complaints).toEqual([]);
});

test("a persona of the schedule is run, paused and let go on by its command, and another one is asked", async () => {
  await using tab = await letIn(browser, await link());
  const { page, complaints } = tab;
  const finder = await find(page, "run watcher");
  await walkTo(page, /^Run Watcher now/);
  await finder.waitFor({ state: "detached" });
  await page.waitForURL(/\/runs\/\d{13}$|\/schedule$/);

  await find(page, "pause watcher");
  await walkTo(page, /^Pause Watcher/);
  await page.waitForURL(/\/schedule$/);
  await finder.waitFor({ state: "detached" });
  await find(page, "let watcher");
  await walkTo(page, /^Let Watcher go on/);
  await finder.waitFor({ state: "detached" });

  await find(page, "pause watcher");
  await finder.getByRole("option", { name: /^Pause Watcher/ }).waitFor();
  await page.keyboard.press("Escape");
  await finder.waitFor({ state: "detached" });
  await find(page, "ask explore");
  await page.getByRole("option", { name: /^Ask Sub-agent that searches/ }).waitFor();
  const held = Promise.withResolvers<void>();
  await takeAsked(
    page,
    (address) => address.pathname === "/api/v1/personas",
    async (route) => {
      await held.promise;
      await route.continue();
    },
  );
  await walkTo(page, /^Ask Sub-agent that searches/);
  const persona = page.getByRole("dialog", { name: "New request" }).getByRole("combobox", { name: "Persona" });
  await persona.waitFor();
  // Also before the names of the others are there, and then still.
  expect(await persona.inputValue()).toBe("explore");
  held.resolve();
  await persona.getByRole("option", { name: "Watcher" }).waitFor({ state: "attached" });
  expect(await persona.inputValue()).toBe("explore");
  expect(complaints).toEqual([]);
});

test("Enter right behind the last letter opens what the server finds first, and nothing that was found before", async () => {
  await using tab = await letIn(browser, await link());
  const { page } = tab;
  // Two searches would find it: whichever has answered first has found what is first.
  await takeAsked(page, "**/api/v1/journal/search?*", (route) => route.abort());
  const finder = await find(page, "greenhouse heater");
  await page.keyboard.press("Enter");
  await finder.waitFor({ state: "detached" });
  expect(new URL(page.url()).pathname).toMatch(/^\/runs\/\d{13}$/);
});

test.each(looks)("hostile names break no layout, and axe finds nothing, at $width in $colorScheme", async (look) => {
  await using tab = await letIn(browser, await link(), look);
  const { page, complaints } = tab;
  const finder = await find(page, "img src");
  await finder.getByRole("option", { name: /<img src=x/ }).waitFor();
  const isHit = await page.evaluate(() => "hit" in globalThis);
  expect([isHit, await overflow(page), await axeProblems(page)]).toEqual([false, 0, []]);
  expect(complaints).toEqual([]);
});
