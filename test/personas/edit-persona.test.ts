/** Changes of personas: guarded by the version that was read, kept, and within the journal. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { editPersona, PersonaChangedError } from "../../personas/edit-persona.ts";
import { loadPersonas } from "../../personas/load.ts";
import { PersonaFileError, readPersonaFiles } from "../../personas/persona-files.ts";
import { keptVersion, keptVersions } from "../../personas/persona-versions.ts";
import { setPersonaSchedule } from "../../personas/set-schedule.ts";

let journal: string;
beforeEach(() => {
  journal = mkdtempSync(join(tmpdir(), "personas-"));
});
afterEach(() => rmSync(journal, { recursive: true }));

const at = (name: string) => join(journal, "personas", name);

test("a persona is made, changed by who has read it, and refused to who has read another version", async () => {
  const made = await editPersona(journal, "cook", null, { text: "You cook.", settings: { title: "Cook" } });
  expect(loadPersonas(journal).personas.get("cook")).toMatchObject({ instruction: "You cook.", source: "journal" });
  const changed = await editPersona(journal, "cook", made.version, { text: "You bake." });
  expect(readPersonaFiles(journal, "cook")).toEqual(changed);
  await expect(editPersona(journal, "cook", made.version, { text: "You fry." })).rejects.toThrow(PersonaChangedError);
  await expect(editPersona(journal, "cook", null, { text: "You fry." })).rejects.toThrow(PersonaChangedError);
  expect(readFileSync(at("cook.txt"), "utf8")).toBe("You bake.\n");
  expect(keptVersions(journal, "cook").map(({ version }) => version)).toEqual([changed.version, made.version]);
  expect(keptVersion(journal, "cook", made.version)).toMatchObject({ text: "You cook.\n" });
});

test("a built-in persona gets files of its own in the journal, and its schedule is set and taken away", async () => {
  const before = readPersonaFiles(journal, "reviewer");
  expect(before?.source).toBe("built-in");
  const scheduled = await setPersonaSchedule(journal, "reviewer", "0 7 * * 1-5");
  expect(JSON.parse(scheduled.settings ?? "")).toMatchObject({ schedule: "0 7 * * 1-5" });
  expect(scheduled.text).toBe(before?.text);
  const { settings } = await setPersonaSchedule(journal, "reviewer", null);
  expect(JSON.parse(settings ?? "")).toEqual(JSON.parse(before?.settings ?? "{}"));
});

test("what was changed by hand in between is kept as a version, too", async () => {
  const made = await editPersona(journal, "cook", null, { text: "You cook." });
  writeFileSync(at("cook.txt"), "You cook by hand.\n");
  const byHand = readPersonaFiles(journal, "cook");
  await editPersona(journal, "cook", byHand?.version ?? "", { text: "You bake." });
  expect(keptVersions(journal, "cook")).toHaveLength(3);
  expect(keptVersion(journal, "cook", byHand?.version ?? "")).toMatchObject({ text: "You cook by hand.\n" });
  expect(made.version).not.toBe(byHand?.version);
});

test.each([
  ["what has no words", "cook", { text: " \n" }, "empty"],
  ["a setting of the wrong type", "cook", { text: "x", settings: { multi_facet: "yes" } }, "multi_facet"],
  ["a schedule that is none", "cook", { text: "x", settings: { schedule: "sometimes" } }, "schedule"],
  ["too long a text", "cook", { text: "x".repeat(300_000) }, "more than"],
  ["an app's persona", "app:cook", { text: "x" }, "belongs to an app"],
  ["a name that leads elsewhere", "../cook", { text: "x" }, "not a name"],
])("%s isn't written", async (_, name, change, why) => {
  await expect(editPersona(journal, name, null, change)).rejects.toThrow(why);
  expect(existsSync(at("cook.txt"))).toBe(false);
});

test("a file that leads out of the journal is neither read nor written", async () => {
  const outside = mkdtempSync(join(tmpdir(), "outside-"));
  writeFileSync(join(outside, "secret.txt"), "secret");
  mkdirSync(at(""), { recursive: true });
  symlinkSync(join(outside, "secret.txt"), at("cook.txt"));
  expect(() => readPersonaFiles(journal, "cook")).toThrow(PersonaFileError);
  await expect(editPersona(journal, "cook", null, { text: "x" })).rejects.toThrow(PersonaFileError);
  expect(readFileSync(join(outside, "secret.txt"), "utf8")).toBe("secret");
  rmSync(outside, { recursive: true });
});
