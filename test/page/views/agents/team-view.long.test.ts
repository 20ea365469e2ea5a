/** The agents of a team in a browser, on a real system: made, edited, overtaken, compared, gone back to, switched off and removed. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";
import type { Agent, AgentVersion } from "../../../../workspace/records/agent.ts";
import { axeProblems, holdSave, looks, overflow, takeAsked } from "../../browser.ts";
import { hostileTexts, ViewSystem } from "../../view-system.ts";

let system: ViewSystem;
let workspace: string;

beforeAll(async () => {
  system = await ViewSystem.start();
  const { items } = await system.call<{ items: { id: string }[] }>("GET", "/workspaces");
  workspace = items[0]?.id ?? "";
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
});

const newAgent = (slug: string, more: object = {}) =>
  system.call<Agent>("POST", `/workspaces/${workspace}/agents`, {
    slug,
    name: slug,
    display_name: `The ${slug}`,
    system_prompt: "You rhyme.\n",
    ...more,
  });
const agentNow = (id: string) => system.call<Agent>("GET", `/agents/${id}`);
const versionsOf = async (id: string) =>
  (await system.call<{ items: AgentVersion[] }>("GET", `/agents/${id}/versions`)).items;
const agentOf = async (slug: string) =>
  (await system.call<{ items: Agent[] }>("GET", `/workspaces/${workspace}/agents`)).items.find(
    (agent) => agent.slug === slug,
  );
const instructions = (page: Page) => page.getByRole("textbox", { name: "Instructions" });
const head = (page: Page, text: string) => page.locator(".thead .ink-3").getByText(text);
const nothingChanged = (page: Page) => page.getByText("Nothing is changed.").waitFor();

/** Writes at the end of the text. */
async function append(page: Page, text: string): Promise<void> {
  await page.locator(".code-editor > div:not([hidden])").first().waitFor();
  await instructions(page).focus();
  await page.keyboard.press("Control+End");
  await page.keyboard.type(text);
}

test("by keys alone an agent is edited, saved as a version, compared with its versions, and gone back to", async () => {
  const { id } = await newAgent("poet");
  await using tab = await system.open(`/agents/team/${id}`);
  const { page, complaints } = tab;
  await page.getByRole("textbox", { name: "Longest answer" }).focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.type("900");
  await page.getByText("was 4096").waitFor();
  await append(page, "Be brief.");
  await page.getByText("2 changes", { exact: true }).waitFor();
  await page.keyboard.press("Control+s");
  await nothingChanged(page);
  await head(page, "@poet, version 2").waitFor();
  expect(await agentNow(id)).toMatchObject({ version: 2, max_tokens: 900, system_prompt: "You rhyme.\nBe brief." });
  await page.getByRole("button", { name: /^Version 1/ }).press("Enter");
  const compared = page.getByRole("region", { name: "Version 1 compared" });
  await compared.getByText('"max_tokens": 4096').waitFor();
  await compared.getByText("Be brief.").waitFor();
  await compared.getByRole("button", { name: "Go back to version 1" }).press("Enter");
  await head(page, "@poet, version 1").waitFor();
  await page.waitForFunction(() => [...document.querySelectorAll("input")].some(({ value }) => value === "4096"));
  expect(await agentNow(id)).toMatchObject({ version: 1, max_tokens: 4096, system_prompt: "You rhyme.\n" });
  // Gone back to, it makes no version; the next change does.
  expect((await versionsOf(id)).map(({ version }) => version)).toEqual([2, 1]);
  await append(page, "And sing.");
  await page.getByRole("button", { name: /^Save as version 3/, disabled: false }).waitFor();
  await page.keyboard.press("Control+s");
  await head(page, "@poet, version 3").waitFor();
  expect(complaints).toEqual([]);
});

test("settings are edited as JSON, what was emptied is as usual again, and what can't be is said before it is saved", async () => {
  const { id } = await newAgent("typist", { model: "m-1", tools: ["journal"], limits: { max_turns: 3 } });
  await using tab = await system.open(`/agents/team/${id}`);
  const { page, complaints } = tab;
  await page.getByRole("button", { name: "Raw" }).click();
  const raw = page.getByRole("textbox", { name: "Settings as JSON" });
  const write = async (text: string) => {
    await raw.focus();
    await page.keyboard.press("Control+a");
    await page.keyboard.press("Delete");
    await page.keyboard.insertText(text);
  };
  await raw.getByText('"m-1"').waitFor();
  const save = page.locator("[data-save] button");
  await write('{ "slug": "typist",');
  await page.getByText("This is not JSON", { exact: false }).waitFor();
  expect(await save.isDisabled()).toBe(true);
  await write('{ "slug": "typist", "name": "typist", "colour": "red" }');
  await page.getByText("Name: This is needed").waitFor();
  await write('{ "slug": "typist", "name": "typist", "display_name": "Typist", "colour": "red" }');
  await page.getByText("There is no setting “colour”").waitFor();
  await write('{ "slug": "coder", "name": "typist", "display_name": "Typist", "tools": ["web"], "max_tokens": 100 }');
  await page.getByRole("button", { name: /^Save as version 2/, disabled: false }).click();
  await page.getByText('the slug "coder" is taken').waitFor();
  await write('{ "slug": "writer", "name": "typist", "display_name": "Typist", "tools": ["web"], "max_tokens": 100 }');
  await page.getByRole("button", { name: /^Save as version 2/, disabled: false }).click();
  await nothingChanged(page);
  const saved = { slug: "writer", display_name: "Typist", model: null, tools: ["web"], limits: {}, max_tokens: 100 };
  expect(await agentNow(id)).toMatchObject({ ...saved, version: 2, system_prompt: "You rhyme.\n" });
  await page.getByRole("link", { name: "Typist" }).waitFor();
  expect(complaints).toEqual([]);
});

test("who was overtaken is shown what is saved now and what they have, and loses nothing", async () => {
  const { id } = await newAgent("contested");
  await using tab = await system.open(`/agents/team/${id}`);
  const { page, complaints } = tab;
  await append(page, "Mine.");
  await system.call("PATCH", `/agents/${id}`, { system_prompt: "You rhyme.\nTheirs.\n" });
  // By the key: the button is off once the page knows.
  await page.keyboard.press("Control+s");
  const changed = page.getByRole("alert", { name: "Changed elsewhere" });
  await changed.getByText("Theirs.").waitFor();
  await changed.getByText("Mine.").waitFor();
  expect(await axeProblems(page)).toEqual([]);
  expect((await agentNow(id)).system_prompt).toBe("You rhyme.\nTheirs.\n");
  expect(await instructions(page).innerText()).toContain("Mine.");
  await changed.getByRole("button", { name: "Go on with mine" }).press("Enter");
  await page.getByRole("button", { name: /^Save as version 3/, disabled: false }).press("Enter");
  await nothingChanged(page);
  expect((await agentNow(id)).system_prompt).toBe("You rhyme.\nMine.");
  // What somebody else changes while nothing is unsaved here is seen at once.
  await system.call("PATCH", `/agents/${id}`, { system_prompt: "You sing.\n" });
  await instructions(page).getByText("You sing.").waitFor();
  expect(complaints).toEqual([]);
});

test("what is typed while a save is on its way stays, and is unsaved", async () => {
  const { id } = await newAgent("hurried");
  await using tab = await system.open(`/agents/team/${id}`);
  const { page, complaints } = tab;
  await append(page, "Sent.");
  await page.getByText("1 change", { exact: true }).waitFor();
  const hold = await holdSave(page);
  await page.keyboard.press("Control+s");
  await hold.arrived;
  // The event of the own save comes before its answer.
  await page.keyboard.type(" Typed.");
  await hold.release();
  await head(page, "@hurried, version 2").waitFor();
  await page.getByRole("button", { name: /^Save as version 3/, disabled: false }).waitFor();
  expect(await page.getByRole("alert", { name: "Changed elsewhere" }).count()).toBe(0);
  expect(await instructions(page).innerText()).toContain("Sent. Typed.");
  await page.keyboard.press("Control+s");
  await nothingChanged(page);
  expect((await agentNow(id)).system_prompt).toBe("You rhyme.\nSent. Typed.");
  expect(complaints).toEqual([]);
});

test("an agent is made, switched off and on, and removed, by the keyboard alone", async () => {
  await using tab = await system.open("/agents?of=team");
  const { page, complaints } = tab;
  await page.getByRole("link", { name: "Coder" }).waitFor();
  await page.keyboard.press("+");
  const making = page.getByRole("dialog", { name: "New agent" });
  await making.getByRole("textbox", { name: "Mentioned as @" }).focus();
  await page.keyboard.type("Not good");
  await making.getByRole("alert").waitFor();
  await page.keyboard.press("Control+a");
  await page.keyboard.type("heater-watch");
  await page.keyboard.press("Tab");
  await page.keyboard.type("Heater watch");
  await page.keyboard.press("Tab");
  await page.keyboard.type("You watch the heater.");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Heater watch" }).waitFor();
  const made = await agentOf("heater-watch");
  expect(made).toMatchObject({ display_name: "Heater watch", system_prompt: "You watch the heater.", version: 1 });
  await page.getByRole("button", { name: "Switch off" }).press("Enter");
  await head(page, "switched off").waitFor();
  expect(await agentOf("heater-watch")).toMatchObject({ is_active: false, version: 1 });
  await page.getByRole("button", { name: "Switch on" }).press("Enter");
  await page.getByRole("button", { name: "Switch off" }).waitFor();
  await page.getByRole("button", { name: "Remove", exact: true }).press("Enter");
  const removing = page.getByRole("dialog", { name: "Remove the agent" });
  await removing.getByText("@heater-watch").waitFor();
  await removing.getByRole("button", { name: "Remove it" }).press("Enter");
  await page.waitForURL(/\/agents\?of=team$/);
  await page.getByRole("link", { name: "Heater watch" }).waitFor({ state: "detached" });
  expect(await agentOf("heater-watch")).toBe(undefined);
  await page.getByRole("link", { name: "Coder" }).focus();
  await page.keyboard.press("k");
  const above = await page.evaluate("document.activeElement.textContent");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: String(above) }).waitFor();
  expect(complaints).toEqual([]);
});

test("an agent that somebody else removes says so, and what was typed is still there", async () => {
  const { id } = await newAgent("short-lived");
  await using tab = await system.open(`/agents/team/${id}`);
  const { page, complaints } = tab;
  await append(page, "Mine.");
  const removed = await fetch(`${system.url}/api/v1/agents/${id}`, { method: "DELETE", headers: system.authorization });
  expect(removed.status).toBe(204);
  await page.getByText("It was removed.").waitFor();
  expect(await instructions(page).innerText()).toContain("Mine.");
  expect(await page.locator("[data-save] button").count()).toBe(0);
  expect(complaints).toEqual([]);
});

test("a member reads an agent and changes nothing, and one that follows a persona is changed there", async () => {
  const { id } = await newAgent("follower", { persona: "reviewer" });
  const { token } = await system.call<{ token: string }>("POST", `/workspaces/${workspace}/members`, { name: "Bea" });
  const coder = await agentOf("coder");
  const looked = [
    { id, token: undefined, said: "It follows the persona" },
    { id: coder?.id ?? "", token, said: "Only an admin of the workspace changes its agents." },
  ];
  for (const { id: of, token: by, said } of looked) {
    await using tab = await system.open(`/agents/team/${of}`, undefined, by);
    const { page } = tab;
    await page.getByText(said).waitFor();
    await page.locator(".code-editor > div:not([hidden])").first().waitFor();
    await instructions(page).focus();
    await page.keyboard.type("Mine.");
    expect(await page.getByRole("textbox", { name: "Longest answer" }).isDisabled()).toBe(true);
    expect(await page.locator("[data-save] button").count()).toBe(0);
    expect(await page.getByRole("button", { name: "Remove", exact: true }).count()).toBe(by === undefined ? 1 : 0);
    expect(await instructions(page).innerText()).not.toContain("Mine.");
    await nothingChanged(page);
    expect(await axeProblems(page)).toEqual([]);
  }
});

test("a version that was chosen stays chosen while newer ones come, and many versions are read further back", async () => {
  const { id } = await newAgent("often");
  for (let at = 2; at <= 25; at++) await system.call("PATCH", `/agents/${id}`, { max_tokens: at });
  await using tab = await system.open(`/agents/team/${id}`);
  const { page, complaints } = tab;
  await page.getByRole("button", { name: /older$/ }).press("Enter");
  await page.getByRole("button", { name: "Older ones" }).press("Enter");
  await page.getByRole("button", { name: /^Version 1 / }).press("Enter");
  const compared = page.getByRole("region", { name: "Version 1 compared" });
  await compared.getByText('"max_tokens": 25').waitFor();
  await system.call("PATCH", `/agents/${id}`, { max_tokens: 26 });
  await page.getByRole("button", { name: /^Version 26/ }).waitFor();
  await compared.getByText('"max_tokens": 26').waitFor();
  // So many have come since that it isn't listed any more.
  const [newest] = await versionsOf(id);
  const items = [{ ...newest, version: 90 }];
  await takeAsked(page, "**/versions?*", (route) => route.fulfill({ json: { items, next: "89" } }));
  await system.call("PATCH", `/agents/${id}`, { max_tokens: 27 });
  await compared.waitFor({ state: "detached" });
  await page.getByRole("button", { name: /^Version 90/ }).press("Enter");
  await page.getByRole("region", { name: "Version 90 compared" }).getByText('"max_tokens": 26').waitFor();
  expect(complaints).toEqual([]);
});

test.each(looks)(
  "hostile words run nothing and break no layout, and axe finds nothing, at $width in $colorScheme",
  async (look) => {
    const [markup = "", signs = "", wide = ""] = hostileTexts;
    const slug = `hostile-${look.width}-${look.colorScheme}`;
    const { id } = await newAgent(slug, {
      display_name: markup.slice(0, 100),
      description: signs,
      model: wide.slice(0, 200),
      capabilities: [wide.slice(0, 100)],
      system_prompt: hostileTexts.join("\n"),
    });
    await system.call("PATCH", `/agents/${id}`, { description: wide.slice(0, 1000) });
    await using tab = await system.open(`/agents/team/${id}`, look);
    const { page, complaints } = tab;
    await page.locator(".code-editor > div:not([hidden])").first().waitFor();
    const checked = async () => {
      const hit = await page.evaluate(() => "hit" in globalThis);
      expect([hit, await overflow(page), await axeProblems(page)]).toEqual([false, 0, []]);
    };
    await checked();
    await page.getByRole("button", { name: /^Version 1/ }).click();
    await page.getByRole("button", { name: "Go back to version 1" }).waitFor();
    await checked();
    await page.getByRole("button", { name: "Raw" }).click();
    await page.getByRole("textbox", { name: "Settings as JSON" }).waitFor();
    await checked();
    await page.getByRole("button", { name: "Remove", exact: true }).click();
    await page.getByRole("dialog", { name: "Remove the agent" }).waitFor();
    await checked();
    await page.goto(`${system.url}/agents?of=team`);
    await page.getByRole("link", { name: "Coder" }).waitFor();
    await checked();
    expect(complaints).toEqual([]);
  },
);
