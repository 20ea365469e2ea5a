import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { PersonaProblem } from "../../personas/load.ts";
import { watchPersonas } from "../../personas/watch.ts";
import { patienceMs } from "../support/patience.ts";

/** Ends as soon as it is so. */
const soon = { timeout: patienceMs };
const watchers = () => process.getActiveResourcesInfo().filter((name) => name === "FSEventWrap").length;

let journal: string;
let stop: AbortController;
let told: PersonaProblem[];
beforeEach(() => {
  journal = mkdtempSync(join(tmpdir(), "personas-"));
  stop = new AbortController();
  told = [];
});
afterEach(() => {
  stop.abort();
  rmSync(journal, { recursive: true });
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(journal, path)), { recursive: true });
  writeFileSync(join(journal, path), text);
}
const start = (folder = journal) =>
  watchPersonas(folder, { onProblem: (problem) => told.push(problem), signal: stop.signal });
const chefSays = (personas: Awaited<ReturnType<typeof start>>, text: string | undefined) =>
  vi.waitFor(() => expect(known(personas, "chef")?.instruction).toBe(text), soon);
/** As the watch has told of it, whatever its files are now. */
const known = (personas: Awaited<ReturnType<typeof start>>, name: string) =>
  personas.all().find((persona) => persona.name === name);

test("personas that exist at the start are there at once", async () => {
  write("personas/chef.txt", "You cook.");
  const personas = await start();
  expect(personas.get("chef")?.instruction).toBe("You cook.");
  expect(personas.all().map(({ name }) => name)).toContain("default");
  expect(personas.get("nobody")).toBeUndefined();
});

test("a persona that comes, changes, wins over a built-in one and goes is followed, also where there was no folder before", async () => {
  const personas = await start();
  write("personas/chef.txt", "You cook.");
  await chefSays(personas, "You cook.");
  write("personas/chef.txt", "You bake.");
  await chefSays(personas, "You bake.");
  write("personas/chef.json", '{"title":"Chef"}');
  await vi.waitFor(() => expect(known(personas, "chef")?.settings.title).toBe("Chef"), soon);
  write("personas/default.txt", "You are mine.");
  await vi.waitFor(() => expect(known(personas, "default")?.source).toBe("journal"), soon);
  rmSync(join(journal, "personas"), { recursive: true });
  await chefSays(personas, undefined);
  await vi.waitFor(() => expect(known(personas, "default")?.source).toBe("built-in"), soon);
  expect(told).toEqual([]);
});

test("who asks for a persona gets what was just written, before the watch tells of it", async () => {
  const personas = await start();
  write("personas/chef.txt", "You cook.");
  expect(personas.get("chef")).toMatchObject({ instruction: "You cook.", settings: {} });
  write("personas/chef.json", '{"title":"Chef"}');
  expect(personas.get("chef")?.settings.title).toBe("Chef");
  write("personas/default.json", '{"title":"Mine"}');
  expect(personas.get("default")?.settings.title).toBe("Mine");
  write("apps/news/personas/editor.txt", "You edit.");
  expect(personas.get("news:editor")?.instruction).toBe("You edit.");
  write("personas/chef.json", "{ torn");
  expect(personas.get("chef")?.settings.title).toBe("Chef");
  expect(personas.problems()).toMatchObject([{ name: "chef" }]);
  rmSync(join(journal, "personas"), { recursive: true });
  expect(personas.get("chef")).toBeUndefined();
});

test("a file that is replaced by a rename, as editors do, is followed each time", async () => {
  write("personas/chef.txt", "You cook.");
  const personas = await start();
  for (const text of ["one", "two", "three"]) {
    write("new", text);
    renameSync(join(journal, "new"), join(journal, "personas/chef.txt"));
    await chefSays(personas, text);
  }
  expect(told).toEqual([]);
});

test("an app's personas are followed", async () => {
  const personas = await start();
  write("apps/news/personas/editor.txt", "You edit.");
  await vi.waitFor(() => expect(known(personas, "news:editor")?.instruction).toBe("You edit."), soon);
  write("apps/news/personas/editor.txt", "You cut.");
  await vi.waitFor(() => expect(known(personas, "news:editor")?.instruction).toBe("You cut."), soon);
});

test("a journal that is reached through a link is followed", async () => {
  write("real/personas/chef.txt", "You cook.");
  symlinkSync("real", join(journal, "link"));
  const personas = await start(join(journal, "link"));
  write("real/personas/chef.txt", "You bake.");
  await chefSays(personas, "You bake.");
  expect(personas.get("chef")?.source).toBe("journal");
});

test("a persona that breaks keeps its last good version, its problem is reported once, and its repair is taken up", async () => {
  write("personas/chef.txt", "You cook.");
  const personas = await start();
  write("personas/chef.json", '{"title": 4}');
  await vi.waitFor(() => expect(told).toHaveLength(1), soon);
  expect(told[0]).toEqual({
    name: "chef",
    path: join(journal, "personas/chef.json"),
    error: "title: expected string, got 4",
  });
  expect(personas.get("chef")).toMatchObject({ instruction: "You cook.", settings: {} });
  expect(personas.problems()).toEqual(told);
  write("personas/other.txt", "You wait.");
  await vi.waitFor(() => expect(personas.get("other")).toBeDefined(), soon);
  expect(told).toHaveLength(1);
  write("personas/chef.json", '{"title": "Chef"}');
  await vi.waitFor(() => expect(known(personas, "chef")?.settings.title).toBe("Chef"), soon);
  expect(personas.problems()).toEqual([]);
});

test("reloading reads what nobody saw change, at once, and tells a problem each time it is asked", async () => {
  const personas = await start();
  write("personas/chef.txt", "You cook.");
  personas.reload();
  expect(personas.get("chef")?.instruction).toBe("You cook.");
  write("personas/chef.json", "{");
  for (const times of [1, 2]) {
    personas.reload();
    expect(told).toHaveLength(times);
  }
  expect(personas.get("chef")?.instruction).toBe("You cook.");
});

test("a persona that is broken from the start is reported, and not there", async () => {
  write("personas/chef.json", "{}");
  const personas = await start();
  expect(personas.get("chef")).toBeUndefined();
  expect(told.map(({ name }) => name)).toEqual(["chef"]);
});

test("a watch after its signal follows nothing, and doesn't keep the process alive", async () => {
  const before = watchers();
  const personas = await start();
  stop.abort();
  await vi.waitFor(() => expect(watchers()).toBeLessThanOrEqual(before), soon);
  write("personas/chef.txt", "You cook.");
  expect(known(personas, "chef")).toBeUndefined();
});

test("a signal that was given before the start starts nothing", async () => {
  const before = watchers();
  stop.abort();
  await start();
  await vi.waitFor(() => expect(watchers()).toBeLessThanOrEqual(before), soon);
});
