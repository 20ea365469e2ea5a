/** The folder that an agent and its tasks share: of the agent's own, or a worktree of the user's repository. */
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { findSandbox } from "../../../sandbox/sandbox-level.ts";
import { runCortex, runCortexJson } from "../../scripts/run-command.ts";
import { makeRepository } from "../../support/git-repository.ts";
import { AgentsSystem } from "../agents-system.ts";

const found = await findSandbox();
const root = realpathSync(mkdtempSync(join(tmpdir(), "task-folders-")));
const app = join(root, "app");
makeRepository(app, { "plan.txt": "old\n" });
const system = await AgentsSystem.start(
  { folders: [root] },
  {
    "personas/coder.txt": "You code.",
    "personas/coder.json": JSON.stringify({ folder: app, worktree: true, tools: "files, tasks" }),
  },
);
afterAll(async () => {
  await system[Symbol.asyncDispose]();
  rmSync(root, { recursive: true });
});
const alpha = await system.channel("alpha");

const task = (input: string, type = "general") => ({
  tool: "spawn_subagent",
  args: { description: input, input, type },
});
const ended = (said: string[], word: string) => said.some((text) => text.includes(`completed] ${word}`));
const edits = (from: number) =>
  Array.from({ length: 10 }, (_, at) => from + 2 * at).map((line) => ({
    tool: "edit",
    args: { path: "list.txt", old_str: `line ${line};`, new_str: `LINE ${line};` },
  }));
const contested = (by: string) => ({ tool: "edit", args: { path: "list.txt", old_str: "who?", new_str: by } });

test("two tasks that edit one file at once lose nothing of each other's, and the next task reads what they wrote", async () => {
  const both = { count: 0, gate: Promise.withResolvers<void>() };
  const lines = Array.from({ length: 20 }, (_, line) => `line ${line};\n`).join("");
  system.think("house-1", ({ said, last }) => {
    if (ended(said, "work-r"))
      return {
        calls: [
          { tool: "reply", args: { text: "all read", channelId: "house-1", attachments: [{ path: "list.txt" }] } },
        ],
      };
    if (ended(said, "work-a") && ended(said, "work-b") && last.includes("completed]"))
      return { calls: [task("work-r", "explore")] };
    if (last.includes("completed] work-w")) return { calls: [task("work-a"), task("work-b")] };
    return last.includes("Go") ? { calls: [task("work-w")] } : { text: "." };
  });
  system.think("work-w", ({ results }) =>
    results.length > 0
      ? { text: "Written." }
      : { calls: [{ tool: "write", args: { path: "list.txt", content: `${lines}who?\n` } }] },
  );
  const results = new Map<string, boolean[]>();
  for (const [name, from] of [
    ["work-a", 0],
    ["work-b", 1],
  ] as const)
    system.think(name, async ({ results: had }) => {
      if (had.length > 0) {
        results.set(
          name,
          had.map(({ isError }) => isError),
        );
        return { text: "Edited." };
      }
      if (++both.count === 2) both.gate.resolve();
      await both.gate.promise; // both are at work
      return { calls: [...edits(from), contested(name)] };
    });
  system.think("work-r", ({ results: [read] }) =>
    read ? { text: `I read: ${read.text}` } : { calls: [{ tool: "read", args: { path: "list.txt" } }] },
  );
  await alpha.say("Go", { channelId: "house-1" });
  await alpha.heard("all read");
  const file = join(system.journal, "agents", await system.main("house-1"), "work", "list.txt");
  expect(readFileSync(file, "utf8")).toMatch(new RegExp(`^${lines.replaceAll("line", "LINE")}work-[ab]\n$`));
  // Of two that would replace the same text, one is told that it isn't there any more.
  expect([...results.values()].map((errors) => errors.filter(Boolean).length).toSorted((a, b) => a - b)).toEqual([
    0, 1,
  ]);
  const [read] = system.asked.flatMap(({ results: all }) => all.filter(({ tool }) => tool === "read"));
  expect(read?.text).toContain("LINE 19;");
});

test.skipIf(found.level === "none")(
  "an agent in a worktree shares it with its tasks, and the user's folder stays as it is",
  async () => {
    system.think("house-2", ({ last, results, said }) => {
      if (last.includes("completed] work-2")) return { calls: [{ tool: "read", args: { path: "plan.txt" } }] };
      if (results[0]?.tool === "read")
        return { calls: [{ tool: "reply", args: { text: `it says ${results[0].text}`, channelId: channelOf(said) } }] };
      return results.length > 0 ? { text: "." } : { calls: [task("work-2")] };
    });
    system.think("work-2", ({ results }) =>
      results.length > 0
        ? { text: "Done." }
        : { calls: [{ tool: "write", args: { path: "plan.txt", content: "new\n" } }] },
    );
    const { stdout } = await runCortex(system.journal, ["chat", "-p", "coder", "house-2: go"]);
    expect(stdout).toContain("it says new");
    expect(readFileSync(join(app, "plan.txt"), "utf8")).toBe("old\n");
    const { document } = await runCortexJson(system.journal, ["changes", "list"]);
    expect(document["changes"]).toMatchObject([
      { folder: app, state: "open", files: [{ path: "plan.txt", added: 1, removed: 1 }] },
    ]);
    expect(await runCortex(system.journal, ["changes", "apply"])).toMatchObject({ code: 0 });
    expect(readFileSync(join(app, "plan.txt"), "utf8")).toBe("new\n");
    expect(existsSync(join(app, ".git/refs/heads/cortex"))).toBe(false);
  },
);

test.skipIf(found.level === "none")(
  "where the settings' folder of all agents is a repository, a task that asks for a worktree has one of it",
  async () => {
    const common = join(root, "common");
    makeRepository(common, { "plan.txt": "old\n" });
    await using own = await AgentsSystem.start(
      { folders: [root], agents: { work_folder: common, owners: ["alpha:owner"], join_window_ms: 0 } },
      {
        "personas/digger.txt": "You dig.",
        "personas/digger.json": JSON.stringify({ task: true, worktree: true, tools: "files", description: "Digs." }),
      },
    );
    const beta = await own.channel("alpha");
    own.think("house-3", ({ last, results, said }) => {
      if (last.includes("completed] work-3"))
        return { calls: [{ tool: "reply", args: { text: "dug", channelId: channelOf(said) } }] };
      return results.length > 0 ? { text: "." } : { calls: [task("work-3", "digger")] };
    });
    own.think("work-3", ({ results }) =>
      results.length > 0
        ? { text: "Done." }
        : { calls: [{ tool: "write", args: { path: "plan.txt", content: "new\n" } }] },
    );
    await beta.say("house-3: go");
    await beta.heard("dug");
    expect(readFileSync(join(common, "plan.txt"), "utf8")).toBe("old\n");
    const { document } = await runCortexJson(own.journal, ["changes", "list"]);
    expect(document["changes"]).toMatchObject([{ folder: common, state: "open", files: [{ path: "plan.txt" }] }]);
  },
);

const channelOf = (said: string[]) => /\| id: ([^ \]|]+)/.exec(said.join("\n"))?.[1] ?? "";
