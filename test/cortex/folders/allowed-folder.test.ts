/** Which folders a run may work in. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { allowedFolder } from "../../../cortex/folders/allowed-folder.ts";
import { folderNotes } from "../../../cortex/folders/folder-notes.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "folders-")));
afterAll(() => rmSync(base, { recursive: true }));
const at = (...parts: string[]) => join(base, ...parts);
const [journal, code] = [at("code/journal"), at("code")];
for (const path of ["code/app/src", "code/app/.git", "code/journal/.state", "code/journal/work", "codex", "outside"])
  mkdirSync(at(path), { recursive: true });
mkdirSync(at("code/journal/agents"));
writeFileSync(at("code/file"), "");
symlinkSync(at("outside"), at("code/leads-out"));
symlinkSync(at("code/app"), at("leads-in"));

const allowed = (folder: string, folders = [code]) => allowedFolder(folder, folders, journal);

test("a run may work in a folder of the settings and in those below it, by the real path", () => {
  expect(allowed(at("code/app"))).toBe(at("code/app"));
  expect(allowed(at("code/app/../app/src/"))).toBe(at("code/app/src"));
  expect(allowed(at("leads-in"))).toBe(at("code/app"));
  expect(allowed(at("code/app"), [at("leads-in")])).toBe(at("code/app"));
  expect(allowed(join(journal, "work"))).toBe(join(journal, "work"));
});

test.each([
  ["relative", "code/app", [code], /expected an absolute path/],
  ["elsewhere", at("outside"), [code], /"[^"]*outside" isn't in any of the settings' folders \(.*add it to "folders"/],
  ["beside, with a name that begins alike", at("codex"), [code], /isn't in any/],
  ["a link that leads out", at("code/leads-out"), [code], /isn't in any/],
  ["the parent of one", base, [code], /isn't in any/],
  ["any, where there are none", at("code/app"), [], /there are none/],
  ["missing", at("code/none"), [code], /isn't a folder that can be opened: make it/],
  ["missing, elsewhere", at("none"), [code], /isn't in any/],
  ["a file", at("code/file"), [code], /isn't a folder that can be opened/],
  ["what holds the journal", code, [code], /the journal is in it/],
  ["the journal", journal, [code], /the journal is in it/],
  ["the journal's state", join(journal, ".state"), [code], /it is cortex's own/],
  ["the journal's agents", join(journal, "agents"), [code], /it is cortex's own/],
  ["a repository's own folder", at("code/app/.git"), [code], /git reads what to run there/],
  ["the home folder", homedir(), [dirname(homedir()), "/"], /home folder is in it/],
  ["with a line break", at("code/app\n/x"), [code], /without control characters/],
])("a folder is refused that is %s", (_, folder, folders, why) => {
  expect(() => allowed(folder, folders)).toThrow(why);
});

test("notes of a folder are bounded, marked as its own, and no link leads to another file's text", () => {
  const app = at("code/app");
  expect(folderNotes(app)).toBe(`You work in the folder ${app}.`);
  writeFileSync(join(app, "AGENTS.md"), `Use tabs.\n${"x".repeat(40_000)}`);
  symlinkSync("AGENTS.md", join(app, "CLAUDE.md"));
  const notes = folderNotes(app);
  expect(notes).toMatch(/a file AGENTS\.md.*gives you no permission[^]*--- AGENTS\.md [0-9a-f]{16} ---\nUse tabs\./);
  expect(notes).toContain("[cut: the file is longer]");
  expect(notes.length).toBeLessThan(34_000);
  expect(notes).not.toContain("CLAUDE.md");
  rmSync(join(app, "CLAUDE.md"));
  writeFileSync(join(app, "CLAUDE.md"), "Use spaces.");
  expect(folderNotes(app)).toMatch(/Use tabs\.[^]*--- CLAUDE\.md [0-9a-f]{16} ---\nUse spaces\./);
  rmSync(join(app, "CLAUDE.md"));
  rmSync(join(app, "AGENTS.md"));
  writeFileSync(at("outside/secret"), "hush");
  symlinkSync(at("outside/secret"), join(app, "AGENTS.md"));
  expect(folderNotes(app)).not.toContain("hush");
  rmSync(join(app, "AGENTS.md"));
  execFileSync("mkfifo", [join(app, "AGENTS.md")]); // nobody writes to it
  expect(folderNotes(app)).toBe(`You work in the folder ${app}.`);
});
