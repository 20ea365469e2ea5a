/** Runs in a worktree of a user's repository: what is told at each of their ends. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { recordOf } from "../../cortex/plan/run-record.ts";
import { findSandbox } from "../../sandbox/sandbox-level.ts";
import { CortexSystem, fixtureAgents } from "../support/cortex-system.ts";
import { gitIn, makeRepository } from "../support/git-repository.ts";

const found = await findSandbox();

describe.skipIf(found.level === "none")("a run in a worktree", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "worktree-runs-")));
  const app = join(root, "app");
  let system: CortexSystem;

  beforeAll(async () => {
    makeRepository(app, { "a.txt": "a\n" });
    mkdirSync(join(root, "plain"));
    system = await CortexSystem.start({
      settings: { ...fixtureAgents("scripted"), folders: [root] },
      files: { "personas/coder.json": JSON.stringify({ folder: app, worktree: true }), "personas/coder.txt": "Code." },
    });
  });
  afterAll(async () => {
    await system[Symbol.asyncDispose]();
    rmSync(root, { recursive: true });
  });

  const inWorktree = { folder: app, worktree: true };
  const finish = { ev: { event: "finish", result: "done" } };
  const changesOf = (events: { event: string; [field: string]: unknown }[]) =>
    events.filter(({ event }) => event === "changes");
  const added = (path: string) => expect.objectContaining({ path, status: "added", removed: 0 });

  test("the folder stays as it is, and what was changed is told behind the terminal event, with its patch", async () => {
    const id = system.steps([{ touch: "b.txt" }, finish], { persona: "coder", save: "out.md", day: "20250109" });
    const events = await system.settled(id);
    expect(events.map(({ event }) => event)).toEqual(["request", "start", "finish", "changes", "saved"]);
    expect(events[1]).toMatchObject({ folder: app, worktree: id });
    const base = gitIn(app, "rev-parse", "main").trim();
    expect(events[3]).toMatchObject({ files: [added("b.txt")], branch: `cortex/${id}`, base });
    expect(readFileSync(join(system.journal, String(events[3]?.["patch"])), "utf8")).toContain("+++ b/b.txt");
    expect(gitIn(app, "status", "--short")).toBe("");
    expect(gitIn(app, "show", "--format=", "--name-only", `cortex/${id}`)).toBe("b.txt\n");
  });

  test("one that changes nothing tells of nothing, and its worktree is removed", async () => {
    const id = system.steps([{ cwd: true }], inWorktree);
    const events = await system.settled(id);
    expect(events.at(-1)).toMatchObject({ event: "finish", result: join(system.journal, "worktrees", id, "files") });
    expect(existsSync(join(system.journal, "worktrees", id))).toBe(false);
  });

  test("a run that fails, and one that is cancelled, tell what they have changed", async () => {
    const failed = system.steps([{ touch: "failed.txt" }, { exit: 3 }], inWorktree);
    expect(changesOf(await system.settled(failed))).toMatchObject([{ files: [added("failed.txt")] }]);
    const cancelled = system.steps(
      [{ touch: "cut.txt" }, { ev: { event: "text", text: "." } }, { hear: true }],
      inWorktree,
    );
    await system.heard(cancelled, "text");
    system.cancel(cancelled);
    const events = await system.settled(cancelled);
    expect(events.find(({ event }) => event === "error")).toMatchObject({ reason: "cancelled" });
    expect(changesOf(events)).toMatchObject([{ files: [added("cut.txt")] }]);
  });

  test("a continuation and a handoff go on in the same worktree", async () => {
    const handoff = { prompt: JSON.stringify([{ touch: "second.txt" }, finish]) };
    const first = system.steps([{ touch: "first.txt" }, finish], { ...inWorktree, handoff });
    const child = String((await system.settled(first)).find(({ event }) => event === "handoff")?.["to"]);
    expect(changesOf(await system.settled(child))).toMatchObject([
      { branch: `cortex/${first}`, files: [added("first.txt"), added("second.txt")] },
    ]);
    const third = system.steps([{ touch: "third.txt" }, finish], { continue_from: child });
    expect(changesOf(await system.settled(third))).toMatchObject([
      { branch: `cortex/${first}`, files: [added("first.txt"), added("second.txt"), added("third.txt")] },
    ]);
  });

  test("the next attempt of a lost run goes on in the same folder, or in the same worktree", async () => {
    for (const place of [{ folder: join(root, "plain") }, inWorktree]) {
      const go = join(root, `go-${place.folder.slice(-3)}`);
      const id = system.steps(
        [{ touch: "tries.txt" }, { ev: { event: "text", text: "." } }, { await: go }, finish],
        place,
      );
      await system.heard(id, "text");
      const folder = recordOf(system.journal, id)?.work_folder ?? "";
      system.killAttempt(id, 1);
      writeFileSync(go, "");
      const starts = (await system.settled(id)).filter(({ event }) => event === "start");
      expect(starts).toMatchObject([place, place].map((one, n) => ({ folder: one.folder, attempt: n + 1 })));
      expect(readFileSync(join(folder, "tries.txt"), "utf8").trim().split("\n")).toHaveLength(2);
    }
  });

  test("where there is no repository, or no folder, the run ends before it starts", async () => {
    for (const [fields, error] of [
      [{ folder: join(root, "plain"), worktree: true }, /plain isn't in a Git repository/],
      [{ worktree: true }, /worktree: of which folder\?/],
    ] as const) {
      const events = await system.settled(system.steps([finish], fields));
      expect(events.map(({ event }) => event)).toEqual(["request", "error"]);
      expect(events[1]).toMatchObject({ reason: "config", error: expect.stringMatching(error) });
    }
    expect(readdirSync(join(system.journal, "worktrees"))).not.toHaveLength(0);
  });
});
