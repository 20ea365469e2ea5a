/** "Fix the failing test in this repository": the example persona `fixer` as a task, with commands in a real sandbox, to the applied change. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readProgramRecord } from "../../journal/programs/programs.ts";
import { findSandbox } from "../../sandbox/sandbox-level.ts";
import { AgentsSystem } from "../agents/agents-system.ts";
import { runCortex, runCortexJson } from "../scripts/run-command.ts";
import { gitIn, makeRepository } from "../support/git-repository.ts";

const found = await findSandbox();
const example = (name: string) => readFileSync(join(import.meta.dirname, "../../examples/personas", name), "utf8");

describe.skipIf(found.level === "none")("the failing test of a repository", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "fixer-")));
  const app = join(root, "app");
  let system: AgentsSystem;
  let alpha: Awaited<ReturnType<AgentsSystem["channel"]>>;

  beforeAll(async () => {
    makeRepository(app, {
      "package.json": '{ "type": "module", "scripts": { "test": "node --test" } }\n',
      "sum.js": "export const sum = (a, b) => a - b;\n",
      "sum.test.js":
        'import assert from "node:assert";\nimport test from "node:test";\nimport { sum } from "./sum.js";\ntest("sum", () => assert.equal(sum(2, 3), 5));\n',
      "AGENTS.md": "Run the tests with `node --test`.\n",
    });
    system = await AgentsSystem.start(
      { folders: [root] },
      {
        "personas/fixer.json": example("fixer.json"),
        "personas/fixer.txt": example("fixer.txt"),
        "personas/main.json": JSON.stringify({ folder: app }),
        "personas/main.txt": "You help.",
      },
    );
    alpha = await system.channel("alpha");
  });
  afterAll(async () => {
    await system[Symbol.asyncDispose]();
    rmSync(root, { recursive: true });
  });

  /** Thinks as a model would that fixes it: each step follows from what the one before showed. */
  function thinkOf(room: string, work: string, last: string): void {
    system.think(room, ({ last: said, results }) => {
      if (said.includes("completed]"))
        return { calls: [{ tool: "reply", args: { text: `${room} is fixed`, channelId: room } }] };
      if (results.length > 0) return { text: "I have sent somebody." };
      return {
        calls: [
          {
            tool: "spawn_subagent",
            args: { description: work, input: `${work}: fix the failing test`, type: "fixer" },
          },
        ],
      };
    });
    system.think(work, ({ results: [result], messages }) => {
      if (!result) return { calls: [bash("node --test")] };
      if (result.tool === "read") return { calls: [edit(result.text)] };
      if (result.tool === "edit") return { calls: [bash(last)] };
      const { exit_code, sandbox } = JSON.parse(result.text);
      if (exit_code === 0)
        return { text: `Fixed: the tests pass, sandbox ${sandbox}, after ${messages.length} messages.` };
      return { calls: [{ tool: "read", args: { path: "sum.js" } }] };
    });
  }

  const bash = (command: string) => ({ tool: "bash", args: { command } });
  function edit(shown: string) {
    const old_str = /a - b/.exec(shown)?.[0] ?? "what isn't there";
    return { tool: "edit", args: { path: "sum.js", old_str, new_str: "a + b" } };
  }
  const passes = () => {
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    try {
      execFileSync(process.execPath, ["--test"], { cwd: app, env, stdio: "pipe" });
      return true;
    } catch {
      return false;
    }
  };
  const taken = { path: "sum.js", added: 1, removed: 1, status: "modified" };

  test("a task finds and fixes it in a worktree, the diff is shown, and a command applies it", async () => {
    thinkOf(
      "house-1",
      "work-1",
      `node --test && git commit -qam "sum adds" && { echo broken >${app}/sum.js; ! touch .git/hooks/post-commit; }`,
    );
    expect(passes()).toBe(false);
    await alpha.say("Fix the failing test", { channelId: "house-1" });
    await alpha.heard("house-1 is fixed");
    const [asked] = system.askedOf("work-1: fix");
    expect(system.asked.find(({ system: text }) => text.includes("a Git worktree of"))?.system).toContain(
      "Run the tests with `node --test`",
    );
    expect(asked?.tools).toEqual(expect.arrayContaining(["bash", "edit"]));
    const ran = system.askedOf("work-1: fix").flatMap(({ results }) => results.filter(({ tool }) => tool === "bash"));
    expect(ran.map(({ text }) => JSON.parse(text))).toMatchObject([
      { exit_code: 1, sandbox: true },
      {
        exit_code: 0,
        sandbox: true,
        stderr: expect.stringContaining("post-commit': Read-only"),
      },
    ]);
    expect(gitIn(app, "status", "--short")).toBe("");
    const { document } = await runCortexJson(system.journal, ["changes", "list"]);
    expect(document["changes"]).toMatchObject([{ state: "open", folder: app, files: [taken] }]);
    const shown = await runCortex(system.journal, ["changes", "show"]);
    expect(shown.stdout).toMatch(/-export const sum = \(a, b\) => a - b;\n\+export const sum = \(a, b\) => a \+ b;/);
    expect(await runCortex(system.journal, ["changes", "apply"])).toMatchObject({ code: 0 });
    expect(gitIn(app, "status", "--short")).toBe(" M sum.js\n");
    expect(passes()).toBe(true);
  });

  test("with a cortex that is killed while the tests run, it is fixed once all the same", async () => {
    gitIn(app, "checkout", "-q", ".");
    thinkOf("house-2", "work-2", `touch running.tmp; until [ -e stop.tmp ]; do sleep 0.1; done; rm *.tmp; node --test`);
    await alpha.say("Fix the failing test", { channelId: "house-2" });
    const task = () => system.task("house-2").catch(() => "none");
    const files = async () => join(system.journal, "worktrees", await task(), "files");
    await system.until(async () => existsSync(join(await files(), "running.tmp")), "the tests run");
    const before = (await readProgramRecord(system.journal, "cortex"))?.pid ?? 0;
    process.kill(before, "SIGKILL");
    await system.until(async () => {
      const { pid = before } = (await readProgramRecord(system.journal, "cortex")) ?? {};
      return pid !== before;
    }, "cortex is back");
    execFileSync("touch", [join(await files(), "stop.tmp")]);
    await alpha.heard("house-2 is fixed");
    const { document } = await runCortexJson(system.journal, ["changes", "list"]);
    const open = (document["changes"] as { state: string }[]).filter(({ state }) => state === "open");
    expect(open).toMatchObject([{ files: [taken] }]);
    expect(await runCortex(system.journal, ["changes", "apply"])).toMatchObject({ code: 0 });
    expect(passes()).toBe(true);
  });

  test("the agent of a stranger isn't in the folder, and isn't told of it", async () => {
    await alpha.say("house-3: hello", { channelId: "house-3", userId: "mallory" });
    await system.turns(await system.agentOf({ type: "alpha", channelId: "house-3", userId: "mallory" }), 1);
    expect(system.askedOf("house-3").map(({ system: text }) => text.includes("You work in"))).toEqual([false]);
    expect(system.askedOf("house-1").every(({ system: text }) => text.includes("You work in"))).toBe(true);
  });
});
