/** Runs in a folder of the user's: cortex, the tool server and a played provider. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { recordOf } from "../../cortex/plan/run-record.ts";
import { findSandbox } from "../../sandbox/sandbox-level.ts";
import { startTools, type ToolsServer } from "../mcp-tools/tools-server.ts";
import { CortexSystem } from "../support/cortex-system.ts";
import { playAnthropic } from "../support/providers/anthropic.ts";
import type { PlayedServer } from "../support/providers/played.ts";

const found = await findSandbox();
const call = (tool: string, args: Record<string, unknown>) => ({ turn: { calls: [{ tool, args }] } });
const done = { turn: { text: "done" } };

describe.skipIf(found.level === "none")("a run in a folder of the user's", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "folder-runs-")));
  const [app, other] = [join(root, "app"), join(root, "other")];
  let provider: PlayedServer;
  let system: CortexSystem;
  let tools: ToolsServer;

  beforeAll(async () => {
    for (const folder of [app, other]) mkdirSync(folder);
    writeFileSync(join(app, "AGENTS.md"), "Answer in verse.");
    provider = await playAnthropic([
      call("write", { path: "made/a.txt", content: "by a tool" }),
      call("bash", { command: "cat made/a.txt && echo by bash >b.txt && pwd && echo x >../other/x" }),
      done,
      done,
      done,
      done,
      done,
      call("bash", { command: "touch waits; until [ -e moved ]; do sleep 0.05; done" }),
      call("write", { path: "stolen.txt", content: "x" }),
      done,
    ]);
    const env = { ANTHROPIC_API_KEY: "sk-test-0123456789", ANTHROPIC_BASE_URL: provider.url };
    system = await CortexSystem.start({
      env,
      settings: { folders: [root] },
      files: {
        "personas/coder.json": JSON.stringify({ folder: app, tools: "files, exec" }),
        "personas/coder.txt": "You write code.",
      },
    });
    tools = await startTools(system.journal, env);
  });
  afterAll(async () => {
    await tools.stop();
    await system[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
    rmSync(root, { recursive: true });
  });

  const asked = (fields: object) => system.request({ prompt: "work", backend: "anthropic", ...fields });
  const resultsOf = (events: { event: string; [field: string]: unknown }[]) =>
    events.flatMap(({ event, result }) => (event === "tool_end" ? [String(result)] : []));
  let first = "";

  test("files and commands work in it and it stays; its AGENTS.md is in the instruction; nothing beside it is written", async () => {
    first = asked({ folder: app, tools: "files, exec", handoff: { persona: "default", prompt: "and you?" } });
    const events = await system.settled(first);
    expect(JSON.parse(resultsOf(events)[1] ?? "")).toMatchObject({
      stdout: `by a tool${app}\n`,
      stderr: expect.stringMatching(/other\/x: (Read-only file system|No such file)/),
      sandbox: true,
    });
    expect(readFileSync(join(app, "b.txt"), "utf8")).toBe("by bash\n");
    expect(existsSync(join(other, "x"))).toBe(false);
    expect(events.find(({ event }) => event === "start")).toMatchObject({ folder: app });
    expect(JSON.stringify(provider.requests[0]?.body)).toMatch(/You work in the folder .*Answer in verse\./);
  });

  test("a run that it hands on to, and one that continues it, work there too", async () => {
    const handed = String(system.file(first).find(({ event }) => event === "handoff")?.["to"]);
    const continued = asked({ continue_from: first, tools: "files" });
    for (const id of [handed, continued]) {
      const start = (await system.settled(id)).find(({ event }) => event === "start");
      expect(start).toMatchObject({ folder: app });
    }
  });

  test("a persona names one, and a request another", async () => {
    for (const [fields, folder] of [
      [{ persona: "coder", tools: "files" }, app],
      [{ persona: "coder", tools: "files", folder: other }, other],
    ] as const) {
      const start = (await system.settled(asked(fields))).find(({ event }) => event === "start");
      expect(start).toMatchObject({ folder });
    }
  });

  test("a folder that isn't allowed ends the run before it starts, and says what to do", async () => {
    const events = await system.settled(asked({ folder: "/etc", tools: "files" }));
    expect(events.map(({ event }) => event)).toEqual(["request", "error"]);
    expect(events[1]).toMatchObject({
      reason: "config",
      error: `folder "/etc" isn't in any of the settings' folders (${root}): add it to "folders" in cortex.json, or name one of these`,
    });
  });

  test("a link that is put in the place of the folder leads no tool out of it", async () => {
    const id = asked({ folder: other, tools: "files, exec" });
    await system.until(() => existsSync(join(other, "waits")), "the command is at work");
    expect(recordOf(system.journal, id)?.work_folder).toBe(other);
    writeFileSync(join(other, "moved"), "");
    renameSync(other, join(root, "away"));
    symlinkSync(app, other);
    const events = await system.settled(id);
    expect(resultsOf(events).at(-1)).toMatch(/other was moved or removed/);
    expect(existsSync(join(app, "stolen.txt"))).toBe(false);
  });
});
