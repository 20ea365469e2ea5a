/** The ends of commands in whole runs: each leaves a file that grows as long as anything of it runs. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { attemptFolder } from "../../../journal/run-folders/run-folder.ts";
import { agentOf } from "../../../proc/runs/run.ts";
import { findSandbox } from "../../../sandbox/sandbox-level.ts";
import { CortexSystem } from "../../support/cortex-system.ts";
import { expectQuiet } from "../../support/expect-quiet.ts";
import { playAnthropic } from "../../support/providers/anthropic.ts";
import type { PlayedServer } from "../../support/providers/played.ts";
import { startTools, type ToolsServer } from "../tools-server.ts";

const found = await findSandbox();
/** In a session of its own, too: that is no way out. */
const ticking =
  "setsid sh -c 'while :; do echo x >>aside; sleep 0.05; done' & while :; do echo x >>ticks; sleep 0.05; done";
const call = (more = {}) => ({ turn: { calls: [{ tool: "bash", args: { command: ticking, ...more } }] } });

describe.skipIf(found.level === "none")("what a run's command has started ends", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "ends-")));
  let provider: PlayedServer;
  let system: CortexSystem;
  let tools: ToolsServer;
  let count = 0;
  /** The run whose command is in the background may end. */
  const isSeen = Promise.withResolvers<void>();

  beforeAll(async () => {
    provider = await playAnthropic([
      call({ background: true }),
      { turn: { text: "done" }, rest: isSeen.promise },
      ...Array.from({ length: 3 }, () => call({ timeout_seconds: 600 })),
    ]);
    const env = { ANTHROPIC_API_KEY: "sk-test-0123456789", ANTHROPIC_BASE_URL: provider.url };
    system = await CortexSystem.start({ env, settings: { folders: [root], orphan_grace_seconds: 3 } });
    tools = await startTools(system.journal, env);
  });
  afterAll(async () => {
    await tools.stop();
    await system[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
    rmSync(root, { recursive: true });
  });

  /** A run whose command works in a folder that stays. */
  function start(more = {}) {
    const folder = join(root, String(++count));
    mkdirSync(folder);
    const sizes = ["ticks", "aside"].map(
      (name) => () => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0,
    );
    const id = system.request({
      prompt: "work",
      backend: "anthropic",
      tools: ["bash"],
      folder,
      max_attempts: 1,
      ...more,
    });
    const grows = async (what: string) => {
      const before = sizes.map((size) => size());
      await system.until(() => sizes.every((size, index) => size() > (before[index] ?? 0)), what);
    };
    return { id, grows, isOver: () => expectQuiet(...sizes) };
  }

  test("with the run, also what went on in the background", async () => {
    const run = start();
    await run.grows("it runs");
    isSeen.resolve();
    expect((await system.ended(run.id)).at(-1)).toMatchObject({ event: "finish" });
    await run.isOver();
  });

  test("with the run's time", async () => {
    const run = start({ timeout_seconds: 2 });
    expect((await system.ended(run.id)).at(-1)).toMatchObject({ event: "error", reason: "timeout" });
    await run.isOver();
  });

  test("with the run's process, when that is killed", async () => {
    const run = start();
    await run.grows("it runs");
    process.kill(agentOf(attemptFolder(system.journal, run.id, 1))?.pid ?? 0, "SIGKILL");
    expect((await system.ended(run.id)).at(-1)).toMatchObject({ event: "error" });
    await run.isOver();
  });

  test("not with cortex, when that is killed, but with the run, when nobody takes it up", async () => {
    const run = start();
    await run.grows("it runs");
    await system.killCortex();
    await run.grows("it goes on");
    await run.isOver();
    await system.startCortex();
    expect((await system.ended(run.id)).at(-1)).toMatchObject({ event: "error" });
  });
});
