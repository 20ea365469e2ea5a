/** Agents and personas in a browser, on a real system: edited, saved, overtaken, taken back, tried; tools called; skills and memory written. */
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { axeProblems, holdSave, looks, overflow } from "../../browser.ts";
import { given, press, pressTogether, reach } from "../../by-keys.ts";
import { hostileTexts, ViewSystem } from "../../view-system.ts";

let system: ViewSystem;

beforeAll(async () => {
  system = await ViewSystem.start({}, (journal) => {
    mkdirSync(join(journal, "personas"));
    mkdirSync(join(journal, "skills/tide-table"), { recursive: true });
    mkdirSync(join(journal, "memory/people"), { recursive: true });
    for (const name of ["gauge-check", "contested", "typed", "hurried"]) {
      writeFileSync(join(journal, `personas/${name}.txt`), "You check the readings of a gauge.\n");
      writeFileSync(join(journal, `personas/${name}.json`), `${JSON.stringify({ timeout_seconds: 300 }, null, 2)}\n`);
    }
    const [markup, signs, wide] = hostileTexts;
    writeFileSync(join(journal, "personas/hostile.txt"), `${hostileTexts.join("\n")}\n`);
    const settings = { title: markup, description: signs, model: wide, extra: hostileTexts };
    writeFileSync(join(journal, "personas/hostile.json"), JSON.stringify(settings));
    const skill = "---\nname: tide-table\ndescription: Tides of Elmsund.\n---\nLow water at 06:10.\n";
    writeFileSync(join(journal, "skills/tide-table/SKILL.md"), skill);
    writeFileSync(join(journal, "memory/people/hostile.md"), hostileTexts.join("\n"));
    writeFileSync(join(journal, "memory/people/anna.md"), "Anna likes tea.\n");
    for (const name of ["hurried", "early"]) writeFileSync(join(journal, `memory/people/${name}.md`), "Somebody.\n");
  });
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
});

const file = (...path: string[]) => readFileSync(join(system.journal.path, ...path), "utf8");
const instructions = (page: Page) => page.getByRole("textbox", { name: "Instructions" });
const savedAs = (page: Page, version: number) =>
  page.getByText(`version ${version}`, { exact: false }).and(page.locator(".thead .ink-3"));

function fileOfRun(id: string): string {
  const [found] = globSync(`runs/*/${id}*.jsonl`, { cwd: system.journal.path });
  return file(found ?? `no file of ${id}`);
}

/** Writes at the end of an editor. */
async function append(page: Page, name: string, text: string): Promise<void> {
  const editor = page.getByRole("textbox", { name });
  await page.locator(".code-editor > div:not([hidden])").first().waitFor();
  await editor.focus();
  await page.keyboard.press("Control+End");
  await page.keyboard.type(text);
}

test("by keys alone a persona is edited, seen in what the model is told, saved, compared with its versions, and taken back", async () => {
  await using tab = await system.open("/");
  const { page, complaints } = tab;
  await page.locator("h1").waitFor();
  await pressTogether(page, "gp");
  await page.getByRole("heading", { name: "Agents", exact: true }).waitFor();
  await reach(page, page.locator('main a[href="/agents/gauge-check"]'), { by: "j" });
  await press(page, "Enter");
  await page.getByRole("heading", { level: 1, name: "Gauge check" }).waitFor();
  await reach(page, page.getByRole("textbox", { name: "Time limit" }));
  await press(page, "Control+a");
  await page.keyboard.type("900");
  await page.getByText("was 300").waitFor();
  await page.locator(".code-editor > div:not([hidden])").first().waitFor();
  await reach(page, instructions(page), { by: "Shift+Tab" });
  await press(page, "Control+End");
  await page.keyboard.type("Say from when to when readings are missing.");
  const told = page.locator(".told");
  await told.getByText("Say from when to when readings are missing.").waitFor();
  expect(await told.locator("ins").innerText()).toContain("Say from when");
  await page.getByText("2 changes").waitFor();
  await press(page, "Control+s");
  await page.getByText("Nothing is changed.").waitFor();
  await given(page, instructions(page));
  expect(JSON.parse(file("personas/gauge-check.json"))).toEqual({ timeout_seconds: 900 });
  expect(file("personas/gauge-check.txt")).toBe(
    "You check the readings of a gauge.\nSay from when to when readings are missing.\n",
  );
  await savedAs(page, 2).waitFor();
  await reach(page, page.getByRole("button", { name: /^Version 1/ }));
  await press(page, "Enter");
  const compared = page.getByRole("region", { name: "Version 1 compared" });
  await compared.getByText('"timeout_seconds": 900').waitFor();
  expect(await compared.locator(".add").allInnerTexts()).toHaveLength(2);
  await reach(page, compared.getByRole("button", { name: "Go back to version 1" }));
  await press(page, "Enter");
  await page.getByText("2 changes").waitFor();
  await reach(page, page.getByRole("button", { name: /^Save as version 3/ }), { by: "Shift+Tab" });
  await press(page, "Enter");
  await savedAs(page, 3).waitFor();
  expect(file("personas/gauge-check.txt")).toBe("You check the readings of a gauge.\n");
  expect(complaints).toEqual([]);
});

test("what isn't saved outlives a reload, and what can't be saved says so at its field", async () => {
  await using tab = await system.open("/agents/typed");
  const { page, complaints } = tab;
  const limit = page.getByRole("textbox", { name: "Time limit" });
  await limit.fill("soon");
  await page.getByText("This is not a number").waitFor();
  const save = page.getByRole("button", { name: /^Save as/ });
  await limit.fill("-5");
  await page.locator(".schema-row", { hasText: "Time limit" }).getByRole("alert").waitFor();
  expect(await save.isDisabled()).toBe(true);
  await limit.fill("120");
  await page.getByRole("button", { name: /^Save as/, disabled: false }).waitFor();
  await page.reload();
  await page.getByText("1 change", { exact: true }).waitFor();
  expect(await limit.inputValue()).toBe("120");
  await page.getByRole("img", { name: "not saved" }).waitFor();
  await page.getByRole("button", { name: "Raw" }).click();
  await page.getByRole("textbox", { name: "Settings as JSON" }).getByText("120").waitFor();
  await page.getByRole("button", { name: "Take it back" }).click();
  await page.getByText("Nothing is changed.").waitFor();
  expect(JSON.parse(file("personas/typed.json"))).toEqual({ timeout_seconds: 300 });
  expect(complaints).toEqual([]);
});

test("who was overtaken is shown what the other one changed, and loses nothing", async () => {
  await using tab = await system.open("/agents/contested");
  const { page, complaints } = tab;
  await append(page, "Instructions", "Mine.");
  const read = await system.call<{ version: string }>("GET", "/personas/contested");
  await system.call("PATCH", "/personas/contested", {
    version: read.version,
    instruction: "You check the readings of a gauge.\nTheirs.\n",
  });
  // By the key: the button is off once the page knows.
  await page.keyboard.press("Control+s");
  const conflict = page.getByRole("alert", { name: "Changed elsewhere" });
  await conflict.getByText("Theirs.").waitFor();
  expect(file("personas/contested.txt")).toContain("Theirs.");
  expect(await instructions(page).innerText()).toContain("Mine.");
  await conflict.getByRole("button", { name: "Go on with mine" }).click();
  await page.getByRole("button", { name: /^Save as/, disabled: false }).click();
  await page.getByText("Nothing is changed.").waitFor();
  expect(file("personas/contested.txt")).toBe("You check the readings of a gauge.\nMine.\n");
  expect(complaints).toEqual([]);
});

test("what is typed while a save is on its way stays: a persona's text and settings, a file of the memory", async () => {
  await using tab = await system.open("/agents/hurried");
  const { page, complaints } = tab;
  await append(page, "Instructions", "Sent.");
  await page.getByText("1 change", { exact: true }).waitFor();
  let hold = await holdSave(page);
  await page.keyboard.press("Control+s");
  await hold.arrived;
  await page.getByRole("button", { name: "Saving" }).waitFor();
  await page.keyboard.press("Enter");
  await page.keyboard.type("Typed.");
  await page.getByRole("textbox", { name: "Time limit" }).fill("77");
  await hold.release();
  await page.getByText("2 changes", { exact: true }).waitFor();
  await page.getByRole("button", { name: /^Save as version 3/, disabled: false }).waitFor();
  expect(await instructions(page).innerText()).toContain("Sent.\nTyped.");
  expect(file("personas/hurried.txt")).toBe("You check the readings of a gauge.\nSent.\n");
  await page.keyboard.press("Control+s");
  await page.getByText("Nothing is changed.").waitFor();
  expect(file("personas/hurried.txt")).toBe("You check the readings of a gauge.\nSent.\nTyped.\n");
  expect(JSON.parse(file("personas/hurried.json"))).toEqual({ timeout_seconds: 77 });

  await page.goto(`${system.url}/agents/memory/people/hurried.md`);
  await append(page, "people/hurried.md", "Sent.");
  hold = await holdSave(page);
  await page.keyboard.press("Control+s");
  await hold.arrived;
  // Deleted: back to what it was before.
  for (const _ of "Sent.") await page.keyboard.press("Backspace");
  await hold.release();
  await page.getByText("−1").waitFor();
  await page.getByRole("button", { name: /^Save/, disabled: false }).waitFor();
  expect(file("memory/people/hurried.md")).toContain("Sent.");
  await page.keyboard.press("Control+s");
  await page.getByText("Nothing is changed.").waitFor();
  expect(file("memory/people/hurried.md")).toBe("Somebody.\n");
  expect(complaints).toEqual([]);
});

test("who types before the editor is there goes on typing in it", async () => {
  await using tab = await system.open("/");
  const { page, complaints } = tab;
  const held = Promise.withResolvers<void>();
  await page.route("**/assets/make-editor-*.js", async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.goto(`${system.url}/agents/memory/people/early.md`);
  const editor = page.getByRole("textbox", { name: "people/early.md" });
  await editor.press("Control+Home");
  await page.keyboard.type("Early. ");
  held.resolve();
  await page.locator(".code-editor > div:not([hidden])").waitFor();
  await page.keyboard.type("gp ");
  await page.keyboard.press("Control+s");
  await page.getByText("Nothing is changed.").waitFor();
  expect(file("memory/people/early.md")).toBe("Early. gp Somebody.\n");
  expect(complaints).toEqual([]);
});

test("a persona is tried by the keyboard alone, with what isn't saved yet, and answers here", async () => {
  await using tab = await system.open("/agents/reviewer");
  const { page, complaints } = tab;
  await page.locator(".code-editor > div:not([hidden])").first().waitFor();
  await reach(page, instructions(page));
  await press(page, "Control+End");
  await page.keyboard.type("\nOnly about the greenhouse.");
  await press(page, "Escape");
  await press(page, "t");
  const dialog = page.getByRole("dialog", { name: "Try it" });
  await dialog.getByText("It is tried with what isn’t saved yet.").waitFor();
  await reach(page, dialog.getByRole("textbox"), { most: 3 });
  await page.keyboard.type("What did we decide about the greenhouse heater?");
  await reach(page, dialog.getByRole("button", { name: "Ask it" }), { most: 4 });
  await press(page, "Enter");
  const tried = page.getByRole("region", { name: "Last try" });
  await tried.getByRole("img", { name: "Done" }).waitFor();
  await tried.getByText("From the journal", { exact: false }).first().waitFor();
  const id = (await tried.getByRole("link").getAttribute("href"))?.split("/").at(-1) ?? "";
  const run = await system.call<{ persona: string; prompt: string }>("GET", `/runs/${id}`);
  expect(run).toMatchObject({ persona: "reviewer", prompt: "What did we decide about the greenhouse heater?" });
  expect(fileOfRun(id)).toContain("Only about the greenhouse.");
  expect(complaints).toEqual([]);
});

test("a tool is called by a form, and gives back what it found", async () => {
  await using tab = await system.open("/agents?of=tools");
  const { page, complaints } = tab;
  await page.getByRole("link", { name: "search_journal" }).click();
  await page.getByRole("textbox", { name: /^Query/ }).fill("greenhouse heater");
  const limit = page.getByRole("textbox", { name: /^Limit/ });
  await limit.fill("many");
  await page.getByText("This is not a number").waitFor();
  await expect.poll(() => page.getByRole("button", { name: /^Call it/ }).isDisabled()).toBe(true);
  // A key right behind the last digit isn't lost: the button is on as soon as the value is drawn.
  const isOn = await limit.evaluate(async (field: HTMLInputElement) => {
    field.value = "2";
    field.dispatchEvent(new InputEvent("input", { bubbles: true }));
    // It is drawn before the browser does anything else.
    for (let step = 0; step < 50; step++) await new Promise<void>(queueMicrotask);
    return document.querySelector('[aria-keyshortcuts="T"]:not(:disabled)') !== null;
  });
  expect(isOn).toBe(true);
  await page.getByText('{"query":"greenhouse heater","limit":2}').waitFor();
  await limit.press("Escape");
  await page.keyboard.press("t");
  const result = page.getByRole("region", { name: "Result" });
  await result.getByRole("table").waitFor();
  expect(await result.getByRole("row").count()).toBe(3);
  expect(complaints).toEqual([]);
});

test("a skill and a file of the memory are read, changed and made", async () => {
  await using tab = await system.open("/agents/skills/tide-table");
  const { page, complaints } = tab;
  await append(page, "tide-table", "High water at 12:25.");
  await page.keyboard.press("Control+s");
  await page.getByText("Nothing is changed.").waitFor();
  expect(file("skills/tide-table/SKILL.md")).toContain("Low water at 06:10.\nHigh water at 12:25.");
  await page.getByRole("link", { name: "Memory" }).click();
  await page.getByRole("link", { name: "anna.md" }).click();
  await append(page, "people/anna.md", "And honey.");
  await page.getByRole("button", { name: /^Save/ }).click();
  await page.getByText("Nothing is changed.").waitFor();
  expect(file("memory/people/anna.md")).toContain("Anna likes tea.\nAnd honey.");
  await page.getByRole("button", { name: "New file" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("people/bert.md");
  await page.getByRole("button", { name: "Make it" }).click();
  await page.waitForURL(/\/agents\/memory\/people\/bert\.md$/);
  await page.getByRole("heading", { name: "people/bert.md" }).waitFor();
  expect(file("memory/people/bert.md")).toBe("");
  expect(complaints).toEqual([]);
});

test("what is written elsewhere is seen while one reads: a persona, a skill, a file of the memory", async () => {
  await using tab = await system.open("/agents/typed");
  const { page, complaints } = tab;
  const write = (path: string, text: string) => writeFileSync(join(system.journal.path, path), text);
  const limit = page.getByRole("textbox", { name: "Time limit" });
  await limit.fill("soon");
  await page.getByText("This is not a number").waitFor();
  write("personas/typed.json", JSON.stringify({ timeout_seconds: 640 }));
  await page.waitForFunction(() => [...document.querySelectorAll("input")].some(({ value }) => value === "640"));
  await limit.fill("700");
  await page.getByRole("button", { name: /^Save as/, disabled: false }).click();
  await page.getByText("Nothing is changed.").waitFor();
  expect(JSON.parse(file("personas/typed.json"))).toEqual({ timeout_seconds: 700 });
  write("personas/newcomer.txt", "You are new.");
  await page.getByRole("link", { name: "Newcomer" }).waitFor();
  await page.getByRole("link", { name: "Skills" }).click();
  await page.getByRole("link", { name: "tide-table" }).click();
  await page.getByRole("textbox", { name: "tide-table" }).getByText("Tides of Elmsund").waitFor();
  write("skills/tide-table/SKILL.md", "---\nname: tide-table\ndescription: Tides of Rivermouth.\n---\n");
  await page.getByRole("textbox", { name: "tide-table" }).getByText("Tides of Rivermouth").waitFor();
  await page.getByRole("link", { name: "Memory" }).click();
  await page.getByRole("link", { name: "anna.md" }).click();
  write("memory/people/anna.md", "Anna likes coffee.\n");
  await page.getByRole("textbox", { name: "people/anna.md" }).getByText("Anna likes coffee.").waitFor();
  expect(complaints).toEqual([]);
});

test("a file that sorts earlier leaves the first one in its editor until that isn't there any more", async () => {
  const path = (name: string) => join(system.journal.path, "memory", name);
  writeFileSync(path("aab.md"), "First.\n");
  await using tab = await system.open("/agents?of=memory");
  const { page, complaints } = tab;
  await append(page, "aab.md", "Typed.");
  writeFileSync(path("aaa.md"), "Earlier.\n");
  await page.getByRole("link", { name: "aaa.md" }).waitFor();
  expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe("aab.md");
  await page.keyboard.type(" On.");
  await page.getByRole("textbox", { name: "aab.md" }).getByText("Typed. On.").waitFor();
  rmSync(path("aab.md"));
  await page.getByRole("heading", { level: 1, name: "aaa.md" }).waitFor();
  rmSync(path("aaa.md"));
  expect(complaints).toEqual([]);
});

test("a new persona is made by the keyboard alone, and the list is walked by it", async () => {
  await using tab = await system.open("/agents");
  const { page, complaints } = tab;
  await page.getByRole("link", { name: "Reviewer" }).waitFor();
  await page.keyboard.press("+");
  await page.getByRole("dialog", { name: "New persona" }).waitFor();
  await page.getByRole("dialog").getByRole("textbox", { name: "Name" }).focus();
  await page.keyboard.type("heater-watch");
  await page.keyboard.press("Tab");
  await page.keyboard.type("You watch the heater.");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/agents\/heater-watch$/);
  expect(file("personas/heater-watch.txt")).toBe("You watch the heater.\n");
  await page.getByRole("link", { name: "Heater watch" }).focus();
  await page.keyboard.press("j");
  const next = await page.evaluate("document.activeElement.textContent");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: String(next) }).waitFor();
  expect(complaints).toEqual([]);
});

test.each(looks)(
  "hostile words run nothing and break no layout, and axe finds nothing, at $width in $colorScheme",
  async (look) => {
    await using tab = await system.open("/agents", look);
    const { page, complaints } = tab;
    const paths = [
      "/agents/hostile",
      "/agents/memory/people/hostile.md",
      "/agents/skills/tide-table",
      "/agents/tools/bash",
    ];
    for (const path of paths) {
      await page.goto(system.url + path);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.locator(".code-editor > div:not([hidden]), .tool-page").first().waitFor();
      const hit = await page.evaluate(() => "hit" in globalThis);
      expect([path, hit, await overflow(page), await axeProblems(page)]).toEqual([path, false, 0, []]);
    }
    expect(complaints).toEqual([]);
  },
);
