/** Runs in a worktree of a user's repository, with a cortex that is killed. */
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findSandbox } from "../../sandbox/sandbox-level.ts";
import { CortexSystem, fixtureAgents } from "../support/cortex-system.ts";
import { gitIn, makeRepository } from "../support/git-repository.ts";

const found = await findSandbox();

describe.skipIf(found.level === "none")("a run in a worktree", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "worktree-runs-")));
  const [app, stop] = [join(root, "app"), join(root, "stop")];
  let system: CortexSystem;

  beforeAll(async () => {
    makeRepository(app, { "a.txt": "a\n" });
    system = await CortexSystem.start({
      env: { CORTEX_STOP_FILE: stop },
      settings: { ...fixtureAgents("scripted"), folders: [root] },
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

  test("a cortex that is killed while it works, or while it tells the changes, tells them at its next start, once", async () => {
    const go = join(root, "go");
    const working = system.steps(
      [{ touch: "b.txt" }, { ev: { event: "text", text: "." } }, { await: go }, finish],
      inWorktree,
    );
    await system.heard(working, "text");
    await system.killCortex();
    writeFileSync(go, "");
    await system.startCortex();
    expect(changesOf(await system.closed(working))).toMatchObject([{ files: [added("b.txt")] }]);

    writeFileSync(`${stop}.at`, "changes-taken");
    const telling = system.steps([{ touch: "c.txt" }, finish], inWorktree);
    await system.until(() => existsSync(stop), "the changes are taken");
    await system.killCortex();
    rmSync(`${stop}.at`);
    await system.startCortex();
    const [changes, ...more] = changesOf(await system.closed(telling));
    expect(changes).toMatchObject({ files: [added("c.txt")] });
    expect(more).toEqual([]);
    expect(gitIn(app, "log", "--format=%s", `main..cortex/${telling}`)).toBe(`Changes of run ${telling}\n`);
  });
});
