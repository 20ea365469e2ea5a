/** Saving a result: into its day's folder, whatever the name tries, and a failed save stops nobody. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { CortexSystem, fixtureAgents } from "../../support/cortex-system.ts";

const system = await CortexSystem.start({
  settings: fixtureAgents("scripted"),
  env: { CORTEX_TZ: "Pacific/Kiritimati" },
});
const outside = mkdtempSync(join(tmpdir(), "cortex-outside-"));
afterAll(async () => {
  await system[Symbol.asyncDispose]();
  expect(readdirSync(outside)).toEqual(["victim.md"]);
  expect(readFileSync(join(outside, "victim.md"), "utf8")).toBe("precious");
});
writeFileSync(join(outside, "victim.md"), "precious");

const saved = (fields: Record<string, unknown>, id?: string) =>
  system.settled(system.steps([{ ev: { event: "finish", result: "the result" } }], fields, id));
const read = (path: string) => readFileSync(join(system.journal, path), "utf8");

test.concurrent("a result is saved in the folder of the request's day", async () => {
  const file = await saved({ save: "digest.md", day: "20250109" });
  expect(file.slice(3)).toMatchObject([{ event: "saved", path: "20250109/digest.md" }]);
  expect(read("20250109/digest.md")).toBe("the result\n");
});

test.concurrent("a save without a day goes to the local one of the id, not to today's and not to UTC's", async () => {
  const file = await saved({ save: "late.md" }, "1736375400000");
  expect(file.slice(3)).toMatchObject([{ event: "saved", path: "20250109/late.md" }]);
});

test.concurrent("a save may have subfolders, and replaces what stood there", async () => {
  const first = await saved({ save: "sub/folder/überblick 1.md", day: "20250104" });
  expect(first.slice(3)).toMatchObject([{ event: "saved", path: "20250104/sub/folder/überblick 1.md" }]);
  await saved({ save: "sub/folder/überblick 1.md", day: "20250104" });
  expect(readdirSync(join(system.journal, "20250104/sub/folder"))).toEqual(["überblick 1.md"]);
});

test.concurrent("a note of the user's is left as it is, and the run says why", async () => {
  mkdirSync(join(system.journal, "20250103"));
  writeFileSync(join(system.journal, "20250103/notes.md"), "by hand");
  const file = await saved({ save: "notes.md", day: "20250103" });
  expect(file.slice(2)).toMatchObject([
    { event: "finish", result: "the result" },
    { event: "save_failed", error: expect.stringContaining("20250103/notes.md isn't what a run has saved there") },
  ]);
  expect(read("20250103/notes.md")).toBe("by hand");
});

test.concurrent("a day's folder that is a link to elsewhere is left alone", async () => {
  symlinkSync(outside, join(system.journal, "20250105"));
  const file = await saved({ save: "x.md", day: "20250105" });
  expect(file.slice(2)).toMatchObject([
    { event: "finish" },
    { event: "save_failed", error: expect.stringContaining("outside") },
  ]);
});

test.concurrent("a day's folder that is a link into another part of the journal is left alone", async () => {
  mkdirSync(join(system.journal, "facets"), { recursive: true });
  symlinkSync(join(system.journal, "facets"), join(system.journal, "20250106"));
  const file = await saved({ save: "x.md", day: "20250106" });
  expect(file.at(-1)).toMatchObject({ event: "save_failed" });
  expect(existsSync(join(system.journal, "facets/x.md"))).toBe(false);
});

test.concurrent("a file, a folder or a dangling link that leads out of the day is left alone", async () => {
  const day = join(system.journal, "20250107");
  mkdirSync(day);
  symlinkSync(join(outside, "victim.md"), join(day, "file.md"));
  symlinkSync(outside, join(day, "folder"));
  symlinkSync(join(outside, "not-yet.md"), join(day, "dangling.md"));
  for (const save of ["file.md", "folder/x.md", "dangling.md"]) {
    const file = await saved({ save, day: "20250107", handoff: { prompt: "all the same" } });
    expect(file.slice(2)).toMatchObject([{ event: "finish" }, { event: "save_failed" }, { event: "handoff" }]);
    await system.settled(String(file.at(-1)?.["to"]));
  }
});

test.concurrent("a save that meets a folder, or a file where a folder is needed, fails and stops nobody", async () => {
  mkdirSync(join(system.journal, "20250108/taken"), { recursive: true });
  writeFileSync(join(system.journal, "20250108/file"), "mine");
  for (const save of ["taken", "file/x.md"]) {
    const file = await saved({ save, day: "20250108" });
    expect(file.slice(2)).toMatchObject([{ event: "finish" }, { event: "save_failed", error: expect.any(String) }]);
    expect(system.of(file[0]?.agent_id ?? "")).toEqual(file);
  }
  expect(read("20250108/file")).toBe("mine");
});
