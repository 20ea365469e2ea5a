/** Rows of Now in a browser, and where they lead: what is done, what isn't listed, schedules, conversations that wait, and what is wrong. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";
import type { Run } from "../../../../web/machine/records/run-records.ts";
import { fixtureAgent } from "../../../support/cortex-system.ts";
import { axeProblems, type Look, overflow } from "../../browser.ts";
import { writeEndedRuns } from "./ended-runs.ts";
import { ViewSystem } from "../../view-system.ts";

/** More than Now lists of runs that are done, and of a schedule's. */
const [alone, scheduled] = [230, 60];

const settings = {
  default_backend: "scripted",
  backends: { scripted: fixtureAgent("scripted") },
  agents: { join_window_ms: 60_000 },
};

let system: ViewSystem;
beforeAll(async () => {
  system = await ViewSystem.start(settings, (journal) => {
    const rare = { persona: "seldom-asked", model: "seldom-used" };
    writeEndedRuns(journal, [
      rare,
      ...Array.from({ length: alone }, () => ({})),
      ...Array.from({ length: scheduled }, () => ({ persona: "audit", schedule: "audit" })),
    ]);
  });
});
afterAll(() => system?.[Symbol.asyncDispose]());

const desk: Look = { width: 1440, height: 900, colorScheme: "light" };
const phone: Look = { width: 390, height: 844, colorScheme: "dark" };

const part = (page: Page, name: string) => page.getByRole("region", { name: new RegExp(`^${name}`) });
const rows = (page: Page, name: string) => part(page, name).locator("li.row");

test.each([desk, phone])(
  "a run that is done opens in its row with its last words, and is run again there, at $width",
  async (look) => {
    const { id } = await system.call<{ id: string }>("POST", "/runs", { prompt: `look after the beans ${look.width}` });
    await system.journal.until(() => system.journal.hasEnded(id), `${id} has ended`);
    await using tab = await system.open("/", look);
    const { page, complaints } = tab;
    const done = rows(page, "Done today")
      .filter({ hasText: `echo: look after the beans ${look.width}` })
      .first();
    await done.getByRole("button", { name: /^More of/ }).click();
    await done.getByText(`look after the beans ${look.width}`, { exact: true }).waitFor();
    expect([await page.locator("h1").count(), await overflow(page), await axeProblems(page)]).toEqual([1, 0, []]);
    const answer = page.waitForResponse(/\/runs\/\d{13}\/again$/);
    if (look === phone) await done.getByRole("button", { name: "Run again" }).locator("visible=true").click();
    else {
      await done.getByRole("button", { expanded: true }).click();
      await done.focus();
      await page.keyboard.press("r");
    }
    const { id: again } = (await (await answer).json()) as { id: string };
    await system.journal.until(() => system.journal.hasEnded(again), `${again} has ended`);
    expect((await system.call<Run>("GET", `/runs/${again}`)).again_of).toBe(id);
    expect(complaints).toEqual([]);
  },
);

test("what isn't listed on Now is a press away: the states and the schedule are filters of the address, and can be taken away", async () => {
  await using tab = await system.open("/");
  const { page, complaints } = tab;
  await part(page, "Done today")
    .getByRole("link", { name: /^\d+ more$/ })
    .click();
  await page.waitForURL((url) => url.pathname === "/runs" && url.searchParams.get("state") === "done,stopped");
  const states = page.getByRole("group", { name: "State" });
  for (const [name, isOn] of [
    ["Done", true],
    ["Stopped", true],
    ["Failed", false],
    ["Any state", false],
  ] as const)
    await states.getByRole("button", { name, exact: true, pressed: isOn }).waitFor();
  await page.getByRole("list", { name: "Runs" }).getByRole("link").first().waitFor();
  await page.goBack();
  const folded = rows(page, "Done today").filter({ hasText: "Audit" });
  await folded.getByRole("button", { name: "More of Audit" }).click();
  await folded.getByRole("link", { name: "12 more runs" }).click();
  await page.waitForURL((url) => url.searchParams.get("schedule") === "audit");
  const sum = page.locator(".sum");
  await sum.getByText(String(scheduled), { exact: true }).waitFor();
  await page.reload();
  await sum.getByText(String(scheduled), { exact: true }).waitFor();
  await page.getByRole("button", { name: "Remove Schedule: Audit" }).click();
  await page.waitForURL((url) => url.pathname === "/runs" && url.search === "");
  expect(complaints).toEqual([]);
});

test("a run is found by a persona and a model that no listed run has, and runs that come are shown without loading the page again", async () => {
  await using tab = await system.open("/runs?state=done");
  const { page, complaints } = tab;
  const list = page.getByRole("list", { name: "Runs" });
  await list.getByRole("link").first().waitFor();
  await page.evaluate("globalThis.isSame = true");
  const { id } = await system.call<{ id: string }>("POST", "/runs", { prompt: "something new came" });
  await system.journal.until(() => system.journal.hasEnded(id), `${id} has ended`);
  await page.getByRole("button", { name: "1 new" }).click();
  await list
    .getByRole("link", { name: /something new came/ })
    .first()
    .waitFor();
  await page.getByRole("button", { name: /new$/ }).waitFor({ state: "detached" });
  await page.getByRole("combobox", { name: "Who" }).selectOption({ label: "Seldom asked" });
  await list.getByRole("link", { name: /run 0/ }).waitFor();
  expect(await list.getByRole("link").count()).toBe(1);
  await page.getByRole("combobox", { name: "Model" }).selectOption({ label: "seldom-used" });
  await page.waitForURL(/model=seldom-used/);
  await list.getByRole("link", { name: /run 0/ }).waitFor();
  expect(await page.evaluate("globalThis.isSame === true")).toBe(true);
  expect(complaints).toEqual([]);
});

test("an agent whose messages wait has a row that leads to its conversation", async () => {
  // First the page: the message waits for a minute at most.
  await using tab = await system.open("/");
  const { page, complaints } = tab;
  await part(page, "Done today").waitFor();
  const said = await fetch(`${system.url}/v1/messages`, {
    method: "POST",
    headers: { ...system.authorization, "Content-Type": "application/json" },
    body: JSON.stringify({ text: "What about the lamp?" }),
  });
  expect(said.ok).toBe(true);
  const waiting = rows(page, "Working").filter({ hasText: "1 message waits" });
  await waiting.waitFor();
  expect(await waiting.getByRole("img", { name: "Waits for its turn" }).count()).toBe(1);
  await waiting.getByRole("link").click();
  await page.waitForURL(/\/chat\/[a-z0-9]{24}$/);
  await page.getByText("What about the lamp?").first().waitFor();
  expect(complaints).toEqual([]);
});

test("what is wrong is one line with the command that fixes it, and the rest a press away", async () => {
  await using tab = await system.open("/");
  const { page, context, complaints } = tab;
  await part(page, "Done today").waitFor();
  const wrong = page.getByRole("status", { name: "What is wrong" });
  expect(await wrong.count()).toBe(0);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const file = join(system.journal.path, "cortex.json");
  const full = { ...settings, min_free_bytes: 1e15, channels: { web: { enabled: true } } };
  writeFileSync(file, JSON.stringify(full));
  await wrong.getByText(/MiB are free on the journal's disk/).waitFor();
  writeFileSync(file, "{ not JSON");
  await wrong.getByRole("button", { name: "1 more" }).click();
  await wrong.getByText("cortex config check").waitFor();
  await wrong.getByRole("button", { name: "Copy cortex config check" }).click();
  await page.waitForFunction(() => navigator.clipboard.readText().then((text) => text === "cortex config check"));
  expect(await axeProblems(page)).toEqual([]);
  writeFileSync(file, JSON.stringify({ ...settings, channels: { web: { enabled: true } } }));
  await wrong.waitFor({ state: "detached" });
  expect(complaints).toEqual([]);
});
