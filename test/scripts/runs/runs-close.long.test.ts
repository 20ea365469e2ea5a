/** A file in progress that no cortex has is named, told from a run, and ended. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { activeFile, endedFile } from "../../../journal/runs/run-files.ts";
import { verifyRun } from "../../../journal/ended-runs/verify-run.ts";
import { agentId, chained, event, temporaryJournal } from "../../journal/temporary-journal.ts";
import { UpJournal } from "../../supervisor/up-process.ts";
import { runCortex, runCortexJson } from "../run-command.ts";

type Listed = { runs: { agent_id: string; state: string; reason: string | null; started: string; ended: string }[] };
type Checked = { checks: { name: string; ok: string; detail: string; remedy?: string; items?: unknown[] }[] };

const listed = async (journal: string) =>
  Object.fromEntries(
    ((await runCortexJson(journal, ["runs", "list"])).document as Listed).runs.map((run) => [run.agent_id, run]),
  );
const checked = async (journal: string) =>
  ((await runCortexJson(journal, ["doctor"])).document as Checked).checks.find(({ name }) => name === "runs");

/** A file as somebody copies it into the journal, torn in its last line. Its clock ran ahead. */
function strayFile(journal: string): void {
  mkdirSync(dirname(activeFile(journal, agentId)), { recursive: true });
  const later = Date.now() + 3_600_000;
  const lines = chained([event(1, "request", { prompt: "go" }), { ...event(2, "start", { attempt: 1 }), ts: later }]);
  writeFileSync(activeFile(journal, agentId), `${lines.join("\n")}\n{"event":"te`);
}

test("a stray file beside a living cortex is orphaned, and is closed; a run that cortex has is refused", async () => {
  await using journal = new UpJournal({});
  await journal.start().isUp();
  const run = await journal.count();
  strayFile(journal.path);
  expect(await listed(journal.path)).toMatchObject({
    [agentId]: { state: "orphaned" },
    [run.agentId]: { state: "running" },
  });
  expect(await checked(journal.path)).toMatchObject({
    ok: "warn",
    detail: expect.stringContaining(activeFile(journal.path, agentId)),
    remedy: expect.stringContaining(`cortex runs close ${agentId}`),
    items: [{ agent_id: agentId }],
  });

  const refused = await runCortexJson(journal.path, ["runs", "close", run.agentId]);
  expect(refused).toMatchObject({ code: 3, document: { ok: false, error: { type: "refused" } } });
  const closed = await runCortexJson(journal.path, ["runs", "close", agentId]);
  expect(closed).toEqual({ code: 0, document: { ok: true, agent_id: agentId } });

  const [, start, error] = readFileSync(endedFile(journal.path, agentId), "utf8").trimEnd().split("\n");
  expect(JSON.parse(error ?? "")).toMatchObject({ event: "error", reason: "interrupted", seq: 3 });
  expect(JSON.parse(error ?? "")).toHaveProperty("ts", JSON.parse(start ?? "").ts);
  expect((await verifyRun(endedFile(journal.path, agentId), agentId))?.problems).toEqual([]);
  const { [agentId]: after } = await listed(journal.path);
  expect(after).toMatchObject({ state: "failed", reason: "interrupted" });
  expect((await checked(journal.path))?.ok).toBe("ok");
  expect((await runCortex(journal.path, ["runs", "close", agentId])).code).toBe(2);
});

test("a file that the next start takes up isn't orphaned, and nothing closes it", async () => {
  using journal = temporaryJournal();
  strayFile(journal.path);
  expect(await listed(journal.path)).toMatchObject({ [agentId]: { state: "queued" } });
  expect((await runCortex(journal.path, ["runs", "close", agentId])).code).toBe(3);
  // A copy of another host's run.
  mkdirSync(join(journal.path, ".run/runs"), { recursive: true });
  mkdirSync(join(journal.path, ".state/mirror"), { recursive: true });
  writeFileSync(join(journal.path, ".state/mirror", agentId), "1");
  expect((await runCortex(journal.path, ["runs", "close", agentId])).stderr).toContain("belongs to another host");
  expect(existsSync(activeFile(journal.path, agentId))).toBe(true);
});
