/**
 * The files that a system writes into its journal are for its owner alone, whatever the umask was when it was started.
 */
import { execFileSync } from "node:child_process";
import { lstatSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { runCortex } from "../scripts/run-command.ts";
import { UpJournal } from "./up-process.ts";

/** The most careless umask, in every process of ours and all that these start. */
const careless = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent("process.umask(0)")}` };

/**
 * Lists what others can read, or write to; what stands below a folder that they can't enter doesn't count for the two
 * private ones. What goes away meanwhile is nobody's.
 */
function openBelow(folder: string, path = ""): string[] {
  const stats = lstatSync(join(folder, path), { throwIfNoEntry: false });
  if (!stats) return [];
  const mine = path !== "" && !stats.isSymbolicLink() && (stats.mode & 0o077) !== 0 ? [path] : [];
  if (!stats.isDirectory() || ((path === ".run" || path === ".state") && mine.length === 0)) return mine;
  return [...mine, ...readdirSync(join(folder, path)).flatMap((name) => openBelow(folder, join(path, name)))];
}

test("runs, what they save, agents and logs are closed to others under a umask that closes nothing", async () => {
  await using journal = new UpJournal({ default_backend: "offline" }, careless);
  const up = journal.start();
  await up.isUp();
  const asked = await runCortex(journal.path, ["request", "--save", "sub/answer.md", "What is due?"], careless);
  expect(asked.code).toBe(0);
  const said = await runCortex(journal.path, ["chat", "What is due today?"], careless);
  expect(said.stderr).not.toContain("defect");
  const made = readdirSync(journal.path);
  expect(made).toEqual(expect.arrayContaining([".run", ".state", "agents", "runs"]));
  expect(made.some((name) => /^\d{8}$/.test(name))).toBe(true);
  const before = ["cortex.json"]; // the test's own
  expect(openBelow(journal.path).filter((path) => !before.includes(path))).toEqual([]);
  expect(await runCortex(journal.path, ["doctor"], careless)).toMatchObject({
    stdout: expect.stringMatching(/✓ private/),
  });
  expect(await up.stop()).toBe(0);
});

test("a journal that is made is closed to others, and the folders on the way to it are the user's", () => {
  const folder = mkdtempSync(join(tmpdir(), "cortex-private-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const module = fileURLToPath(new URL("../../journal/config/paths.ts", import.meta.url));
  const script = `process.umask(0o022); const { makePrivateFolders } = await import(${JSON.stringify(module)}); makePrivateFolders(${JSON.stringify(join(folder, "on/the-way"))});`;
  execFileSync(process.execPath, ["--input-type=module", "-e", script]);
  expect(statSync(join(folder, "on")).mode & 0o777).toBe(0o755);
  expect(statSync(join(folder, "on/the-way")).mode & 0o777).toBe(0o700);
});
