/** `cortex changes` as people and programs use it. */
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeWorktree } from "../../../../cortex/worktrees/make-worktree.ts";
import { takeChanges } from "../../../../cortex/worktrees/take-changes.ts";
import { makePrivateFolders } from "../../../../journal/config/paths.ts";
import { makeRepository, putFiles } from "../../../support/git-repository.ts";
import { runCortex, runCortexJson } from "../../run-command.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "changes-")));
const [journal, repo] = [join(base, "journal"), join(base, "app")];
const [first, second, third, fourth] = ["1736380800000", "1736380900001", "1736380950002", "1736380960003"];

beforeAll(async () => {
  makePrivateFolders(journal);
  makeRepository(repo, { "a.txt": "one\n" });
  for (const id of [first, second]) {
    const files = await makeWorktree(journal, { id, agentId: id, folder: repo, folders: [base] });
    putFiles(files, { "a.txt": `by ${id}\n` });
    await takeChanges(journal, id, id);
  }
});
afterAll(() => rmSync(base, { recursive: true }));

const entry = (id: string, state: string) => ({
  agent_id: id,
  folder: repo,
  branch: `cortex/${id}`,
  base: expect.any(String),
  files: [{ path: "a.txt", added: 1, removed: 1, status: "modified" }],
  state,
});

test("changes are listed and shown, applied by the end of an id, and refused where a file was changed meanwhile", async () => {
  expect(await runCortexJson(journal, ["changes", "list"])).toEqual({
    code: 0,
    document: { changes: [entry(first, "open"), entry(second, "open")] },
  });
  expect((await runCortex(journal, ["changes"])).stdout).toMatch(
    /1736380800000 +open +1 +\+1 -1 +cortex\/1736380800000/,
  );
  expect((await runCortex(journal, ["changes", "show", "900001"])).stdout).toMatch(
    /modified[^]*-one\n\+by 1736380900001/,
  );
  const both = await runCortex(journal, ["changes", "apply"]);
  expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining("which changes? 2 fit") });
  const applied = await runCortex(journal, ["changes", "apply", "800000"]);
  expect(applied).toMatchObject({ code: 0, stdout: expect.stringContaining("not committed") });
  expect(readFileSync(join(repo, "a.txt"), "utf8")).toBe(`by ${first}\n`);
  const conflict = await runCortexJson(journal, ["changes", "apply", second]);
  expect(conflict).toMatchObject({
    code: 1,
    document: { error: { type: "conflict", message: expect.stringContaining("a.txt (it was changed meanwhile)") } },
  });
  expect(readFileSync(join(repo, "a.txt"), "utf8")).toBe(`by ${first}\n`);
  expect((await runCortexJson(journal, ["changes", "list"])).document).toMatchObject({
    changes: [{ state: "applied" }, { agent_id: second, state: "conflict" }],
  });
});

test("applied and dropped ones are told in words, and what there isn't is a wrong use", async () => {
  const again = await runCortex(journal, ["changes", "apply", first]);
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("were applied already") });
  expect((await runCortex(journal, ["changes", "drop"])).stdout).toContain(`the branch cortex/${second} is gone`);
  const { document } = await runCortexJson(journal, ["changes", "list"]);
  expect(document).toMatchObject({ changes: [{ state: "applied" }, { state: "dropped", files: [] }] });
  for (const args of [["apply"], ["show", "17"], ["merge"]])
    expect((await runCortex(journal, ["changes", ...args])).code).toBe(2);
});

test("what is shown, applied and dropped is one document each", async () => {
  for (const id of [third, fourth]) {
    const files = await makeWorktree(journal, { id, agentId: id, folder: repo, folders: [base] });
    putFiles(files, { "b.txt": "b\n" });
    await takeChanges(journal, id, id);
  }
  const added = [{ path: "b.txt", added: 1, removed: 0, status: "added" }];
  const document = (id: string, state: string, files: unknown[]) => ({ ...entry(id, state), files });
  expect(await runCortexJson(journal, ["changes", "show", third])).toEqual({
    code: 0,
    document: { ...document(third, "open", added), left_out: [], patch: `worktrees/${third}/changes.patch` },
  });
  expect(await runCortexJson(journal, ["changes", "apply", third])).toEqual({
    code: 0,
    document: { ...document(third, "applied", added), base: expect.any(String) },
  });
  expect(readFileSync(join(repo, "b.txt"), "utf8")).toBe("b\n");
  expect(await runCortexJson(journal, ["changes", "drop", fourth])).toEqual({
    code: 0,
    document: document(fourth, "dropped", []),
  });
});
