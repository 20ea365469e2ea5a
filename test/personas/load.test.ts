import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadPersonas } from "../../personas/load.ts";

let journal: string;
beforeEach(() => {
  journal = mkdtempSync(join(tmpdir(), "personas-"));
});
afterEach(() => rmSync(journal, { recursive: true }));

function write(path: string, text: string | Uint8Array): void {
  mkdirSync(dirname(join(journal, path)), { recursive: true });
  writeFileSync(join(journal, path), text);
}
const load = () => loadPersonas(journal);
const problems = () => load().problems.map(({ name, error }) => [name, error]);

test("a journal without personas has the built-in ones", () => {
  const { personas, problems } = load();
  expect([...personas.keys()].toSorted()).toEqual([
    "daily-digest",
    "default",
    "explore",
    "facet-auditor",
    "facet-newsletter",
    "general",
    "main",
    "plan",
    "reviewer",
  ]);
  expect(problems).toEqual([]);
  expect(personas.get("default")).toMatchObject({
    source: "built-in",
    instruction: expect.stringContaining("path:line"),
  });
});

test("a persona is its text and its settings, and needs no settings", () => {
  write("personas/plain.txt", "\nYou are plain.\n\n");
  write("personas/chef.txt", "You cook.");
  write("personas/chef.json", '{"title":"Chef","tools":["search_journal"],"max_turns":3,"model":null,"colour":"red"}');
  expect(load().personas.get("plain")).toEqual({
    name: "plain",
    instruction: "You are plain.",
    settings: {},
    source: "journal",
    path: join(journal, "personas/plain.txt"),
  });
  expect(load().personas.get("chef")?.settings).toEqual({
    title: "Chef",
    tools: ["search_journal"],
    max_turns: 3,
    colour: "red",
  });
});

test("the user's persona wins over the built-in one of its name", () => {
  write("personas/reviewer.txt", "You review my way.");
  expect(load().personas.get("reviewer")).toMatchObject({
    source: "journal",
    instruction: "You review my way.",
    settings: {},
  });
});

test("a broken persona of the user's never gives way to the built-in one", () => {
  write("personas/reviewer.txt", "You review my way.");
  write("personas/reviewer.json", "{");
  expect(load().personas.has("reviewer")).toBe(false);
  expect(problems()).toEqual([["reviewer", expect.stringContaining("not JSON")]]);
});

test("an app's personas have its name before theirs", () => {
  write("apps/news/personas/editor.txt", "You edit.");
  write("apps/News Room/personas/editor.txt", "You edit.");
  const { personas } = load();
  expect(personas.get("news:editor")).toMatchObject({ name: "news:editor", source: "app:news" });
  expect(personas.has("editor")).toBe(false);
  expect([...personas.keys()].filter((name) => name.includes(":"))).toEqual(["news:editor"]);
});

describe("a persona that can't be read is reported, and the rest go on:", () => {
  afterEach(() => {
    write("personas/fine.txt", "You are fine.");
    expect(load().personas.has("fine")).toBe(true);
    expect(load().personas.has("default")).toBe(true);
  });

  test.each([
    ["empty", { "personas/x.txt": "  \n" }, "it is empty: expected its instructions"],
    [
      "settings without instructions, where no built-in persona has any",
      { "personas/x.json": "{}" },
      "its instructions are missing: there is no x.txt",
    ],
    [
      "settings that are no JSON",
      { "personas/x.txt": "a", "personas/x.json": '{"title": "A",\n}' },
      /not JSON: .*line 2 column 1/,
    ],
    [
      "settings that are no object",
      { "personas/x.txt": "a", "personas/x.json": "[1]" },
      "expected a JSON object, got [1]",
    ],
    [
      "settings of wrong types, each named",
      { "personas/x.txt": "a", "personas/x.json": '{"title":4,"timeout_seconds":0}' },
      "title: expected string, got 4; timeout_seconds: expected number to be >0, got 0",
    ],
    [
      "a schedule that is none",
      { "personas/x.txt": "a", "personas/x.json": '{"schedule":"dayly"}' },
      'schedule: expected "daily" or a cron expression of five fields, got "dayly"',
    ],
    [
      "a file to save to that is elsewhere",
      { "personas/x.txt": "a", "personas/x.json": '{"save":"../x.md"}' },
      'save: expected a file name below the day\'s folder, got "../x.md"',
    ],
    ["too long", { "personas/x.txt": "a".repeat(256 * 1024 + 1) }, "it has 262145 bytes: at most 262144 are read"],
    ["not UTF-8", { "personas/x.txt": new Uint8Array([0xc3, 0x28]) }, "it is not UTF-8"],
  ] as [string, Record<string, string | Uint8Array>, string | RegExp][])("%s", (_, files, error) => {
    for (const [path, text] of Object.entries(files)) write(path, text);
    expect(problems()).toEqual([["x", typeof error === "string" ? error : expect.stringMatching(error)]]);
  });

  test.each(["My Persona", "Ärztin", "UPPER", "a".repeat(65), "a:b", "-x"])("a name that is none: %s", (name) => {
    write(`personas/${name}.txt`, "a");
    expect(problems()).toEqual([[name, expect.stringContaining("is not a name for a persona")]]);
  });

  test("settings alone leave a built-in persona its words", () => {
    write("personas/reviewer.json", '{"title": "Mine"}');
    const { personas, problems } = loadPersonas(journal);
    expect(problems).toEqual([]);
    expect(personas.get("reviewer")).toMatchObject({
      settings: { title: "Mine" },
      source: "journal",
      instruction: loadPersonas(join(journal, "elsewhere")).personas.get("reviewer")?.instruction,
    });
  });

  test("a link that leads out of its folder", () => {
    write("secret.txt", "the secret");
    write("personas/x.txt", "a");
    rmSync(join(journal, "personas/x.txt"));
    symlinkSync("../secret.txt", join(journal, "personas/x.txt"));
    expect(problems()).toEqual([["x", expect.stringContaining("it leads out of")]]);
  });

  test("a folder, and a pipe, which isn't waited for", () => {
    mkdirSync(join(journal, "personas/x.txt"), { recursive: true });
    execFileSync("mkfifo", [join(journal, "personas/y.txt")]);
    expect(problems()).toEqual([
      ["x", "it is not a file"],
      ["y", "it is not a file"],
    ]);
  });
});

test("a personas folder that is not a folder is reported", () => {
  write("personas", "a file");
  expect(problems()).toEqual([["", expect.stringContaining("can't be listed")]]);
});

test("hidden files, other files and folders are none of them", () => {
  write("personas/.hidden.txt", "a");
  write("personas/notes.md", "a");
  write("personas/old/x.txt", "a");
  expect([...load().personas.values()].filter(({ source }) => source !== "built-in")).toEqual([]);
  expect(problems()).toEqual([]);
});

test("a link within the folder, and a folder that is a link itself, are followed", () => {
  write("elsewhere/one.txt", "You are one.");
  symlinkSync("one.txt", join(journal, "elsewhere/two.txt"));
  symlinkSync("elsewhere", join(journal, "personas"));
  expect(load().personas.get("two")?.instruction).toBe("You are one.");
});

test("a probable slip of the pen is warned about, and a field meant for a backend isn't", () => {
  write("personas/x.txt", "a");
  write("personas/x.json", '{"shedule":"daily","verbosity":"low","stream":true,"handoff":{"persona":"reviwer"}}');
  expect(load().warnings.map(({ error }) => error)).toEqual([
    'unknown key "shedule": did you mean "schedule"?',
    'it hands off to "reviwer", which there is not: did you mean "reviewer"?',
  ]);
  expect(load().personas.has("x")).toBe(true);
});
