/** Commands in whole runs: cortex, the tool server and a played provider. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { recordOf } from "../../cortex/plan/run-record.ts";
import { findSandbox } from "../../sandbox/sandbox-level.ts";
import { CortexSystem } from "../support/cortex-system.ts";
import { playAnthropic } from "../support/providers/anthropic.ts";
import type { PlayedServer } from "../support/providers/played.ts";
import { startTools, type ToolsServer } from "./tools-server.ts";

const found = await findSandbox();
const bash = (command: string, more = {}) => ({ turn: { calls: [{ tool: "bash", args: { command, ...more } }] } });
const asleep = "sleep 613.7";
const done = { turn: { text: "done" } };

describe.skipIf(found.level === "none")("a run in a sandbox", () => {
  let provider: PlayedServer;
  let system: CortexSystem;
  let tools: ToolsServer;

  beforeAll(async () => {
    provider = await playAnthropic([
      { turn: { calls: [{ tool: "write", args: { path: "a.txt", content: "from a tool" } }] } },
      bash("cat a.txt; until [ -e heard ]; do sleep 0.05; done; pwd; cat /proc/*/environ"),
      done,
      bash("sleep 0.1", { background: true }),
      bash("until [ -e told ]; do sleep 0.05; done; pwd"),
      done,
      bash(`echo begun; ${asleep}; true`),
    ]);
    const key = "sk-test-0123456789";
    const env = { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: provider.url };
    system = await CortexSystem.start({ env });
    tools = await startTools(system.journal, env);
  });
  afterAll(async () => {
    await tools.stop();
    await system[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
  });

  const ends = async (id: string) => (await system.ended(id)).filter(({ event }) => event === "tool_end");

  test("files and commands share the run's folder, no key is there, and what is printed is told on the bus alone", async () => {
    const id = system.request({ prompt: "work", backend: "anthropic", tools: "files, exec" });
    const told = await system.heard(id, "tool_output");
    writeFileSync(join(String(recordOf(system.journal, id)?.work_folder), "heard"), "");
    const [, end] = await ends(id);
    const { stdout, sandbox } = JSON.parse(String(end?.["result"])) as { stdout: string; sandbox: boolean };
    expect([stdout, sandbox]).toEqual([expect.stringMatching(/^from a tool\/.*cortex-run-/), true]);
    expect(stdout).not.toContain("sk-test");
    expect(told).toMatchObject({ call_id: end?.["call_id"], text: "from a tool" });
    expect(system.file(id).some(({ event }) => event === "tool_output")).toBe(false);
  });

  test("a run is told when a background process of its own ends", async () => {
    const id = system.request({ prompt: "wait", backend: "anthropic", tools: ["bash"] });
    const folder = await system.until(() => recordOf(system.journal, id)?.work_folder, "the run's folder");
    const input = await system.heard(id, "input");
    expect(input["text"]).toMatch(/^The background process p1 \(sleep 0.1\) has ended with exit code 0/);
    writeFileSync(join(folder, "told"), "");
    const [started, waited] = await ends(id);
    expect(JSON.parse(String(started?.["result"]))).toMatchObject({ exit_code: null, process_id: "p1" });
    expect(JSON.parse(String(waited?.["result"]))).toMatchObject({ exit_code: 0, stdout: `${folder}\n` });
  });

  test("a cancelled run ends its command", async () => {
    const id = system.request({ prompt: "hang", backend: "anthropic", tools: ["bash"] });
    await system.heard(id, "tool_output");
    expect(sleepers()).not.toEqual([]);
    system.cancel(id);
    expect((await system.ended(id)).at(-1)).toMatchObject({ event: "error", reason: "cancelled" });
    await system.until(() => sleepers().length === 0, "the command has ended");
  });

  /** Who sleeps so long on this machine: a number of this file's own. */
  const sleepers = () =>
    readdirSync("/proc").filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "latin1").includes(asleep);
      } catch {
        return false;
      }
    });
});

describe("where there is no bubblewrap", () => {
  const bin = mkdtempSync(join(tmpdir(), "no-bubblewrap-"));
  let system: CortexSystem;

  beforeAll(async () => {
    for (const name of new Set(["/usr/local/bin", "/usr/bin", "/bin"].flatMap((from) => readdirSync(from))))
      if (name !== "bwrap") {
        const from = ["/usr/local/bin", "/usr/bin", "/bin"].find((folder) => existsSync(join(folder, name)));
        if (from !== undefined) symlinkSync(join(from, name), join(bin, name));
      }
    const preferring = JSON.stringify({ sandbox: "preferred" });
    system = await CortexSystem.start({
      env: { PATH: bin },
      files: { "personas/mild.json": preferring, "personas/mild.txt": "Work." },
    });
  });
  afterAll(async () => {
    await system[Symbol.asyncDispose]();
    rmSync(bin, { recursive: true });
  });

  test("a run with commands is refused before it starts, and says what to install", async () => {
    // A persona can be stricter than the settings, and never milder.
    for (const persona of ["default", "mild"]) {
      const events = await system.ended(
        system.request({ prompt: "work", backend: "offline", persona, tools: ["bash"] }),
      );
      expect(events.map(({ event }) => event)).toEqual(["request", "error"]);
      expect(events[1]).toMatchObject({
        reason: "config",
        error: expect.stringMatching(/bubblewrap.*install.*bubblewrap/),
      });
    }
  });

  test("a run without commands needs none", async () => {
    const events = await system.ended(system.request({ prompt: "hello", backend: "offline", tools: "files" }));
    expect(events.at(-1)).toMatchObject({ event: "finish" });
  });
});
