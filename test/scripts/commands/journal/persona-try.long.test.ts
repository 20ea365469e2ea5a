/** Personas that are looked at and tried at the terminal: the real commands on a `cortex up` with an agent that says what it was told. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fixtureAgents } from "../../../support/cortex-system.ts";
import { patienceMs } from "../../../support/patience.ts";
import { UpJournal } from "../../../supervisor/up-process.ts";
import { runCortex, runCortexJson, spawnCortex } from "../../run-command.ts";

let up: UpJournal;
beforeAll(async () => {
  up = new UpJournal({ ...fixtureAgents("scripted"), channels: {} });
  await up.start().isUp();
}, 2 * patienceMs);
afterAll(() => up[Symbol.asyncDispose](), 2 * patienceMs);

const long = { timeout: 2 * patienceMs };
const toldAsJson = '[{"config":true}]';

test("a persona is tried as it is saved: its answer is on stdout, and its run is one of its own", long, async () => {
  const tried = await runCortex(up.path, ["persona", "try", "reviewer", "hello"]);
  expect(tried).toMatchObject({ code: 0, stdout: "echo: hello" });
  const { stdout } = await spawnCortex(up.path, ["persona", "try", "reviewer", "-"], {}, "by standard input\n");
  expect(stdout).toBe("echo: by standard input");
  const { document } = await runCortexJson(up.path, ["runs", "list", "--persona", "reviewer"]);
  expect(document["runs"]).toHaveLength(2);
});

test("a persona is tried with a text and settings that aren't saved", long, async () => {
  const [text, settings] = [join(up.path, "text"), join(up.path, "settings.json")];
  writeFileSync(text, "You bake.");
  writeFileSync(settings, JSON.stringify({ temperature: 0.25, save: "never.md", schedule: "daily" }));
  const args = ["persona", "try", "reviewer", toldAsJson, "--text", text, "--settings", settings];
  const { code, stdout } = await runCortex(up.path, args);
  expect(code).toBe(0);
  const told = JSON.parse(stdout) as Record<string, unknown>;
  expect(told).toMatchObject({ instruction: expect.stringContaining("You bake."), temperature: 0.25 });
  expect(told["save"]).toBeUndefined();
  const shown = await runCortexJson(up.path, ["persona", "show", "reviewer"]);
  expect(JSON.stringify(shown.document)).not.toContain("You bake.");
});

test("a try prints every event with --json, the run's id with --detach, and ends as its run does", long, async () => {
  const told = await runCortex(up.path, ["persona", "try", "reviewer", "hello", "--json"]);
  const events = told.stdout.split("\n").map((line) => (JSON.parse(line) as { event: string }).event);
  expect([events.includes("start"), events.at(-1)]).toEqual([true, "finish"]);
  const { stdout } = await runCortex(up.path, ["persona", "try", "reviewer", "hello", "--detach"]);
  expect(stdout).toMatch(/^\d{13}$/);
  const failed = await runCortex(up.path, ["persona", "try", "reviewer", '[{"exit":3}]']);
  expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining("(crash)")]);
});

test("a preview has what a persona's long-lived agents are told while these run", long, async () => {
  const { code, document } = await runCortexJson(up.path, ["persona", "preview", "main"]);
  expect(code).toBe(0);
  const companion = document["companion"] as Record<string, string>;
  expect(Object.keys(companion)).toEqual(["owner", "stranger", "task"]);
  const { stdout } = await runCortex(up.path, ["persona", "preview", "main"]);
  expect(stdout).toContain(`== As an agent, to you ==\n${companion["owner"]?.split("\n")[0]}`);
  expect(stdout).toContain("== As a sub-agent ==");
});
