import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { compressRun } from "../../../../journal/ended-runs/compressed-run.ts";
import { storeAttachment } from "../../../../files/attachment-store.ts";
import { contentPath } from "../../../../protocol/files/attachment.ts";
import { lineHash } from "../../../../journal/chain/hash-chain.ts";
import { compressedFile, endedFile } from "../../../../journal/runs/run-files.ts";
import { chained } from "../../../journal/temporary-journal.ts";
import { runCortex, runCortexJson } from "../../run-command.ts";

const journal = mkdtempSync(join(tmpdir(), "audit-"));
afterAll(() => rmSync(journal, { recursive: true }));

const dayMs = 86_400_000;
const at = (days: number) => String(1736380800000 + days * dayMs);

function write(id: string): string[] {
  const bodies = [
    { event: "request", prompt: "x" },
    { event: "text", text: "y" },
    { event: "finish", result: "z" },
  ];
  const lines = chained(bodies.map((body, index) => ({ ...body, ts: Number(id), agent_id: id, seq: index + 1 })));
  mkdirSync(dirname(endedFile(journal, id)), { recursive: true });
  writeFileSync(endedFile(journal, id), `${lines.join("\n")}\n`);
  return lines;
}

const [whole, changed, packed, old] = [at(0), at(1), at(2), at(3)];
const head = lineHash(write(whole).at(-1) ?? "");
write(changed);
const text = readFileSync(endedFile(journal, changed), "utf8");
writeFileSync(endedFile(journal, changed), text.replace('"y"', '"Y"'));
write(packed);
await compressRun(journal, packed);
mkdirSync(dirname(endedFile(journal, old)), { recursive: true });
writeFileSync(endedFile(journal, old), `{"event":"request","ts":1,"agent_id":"${old}","seq":1,"prompt":"x"}\n`);

/** The note on runs that ended before heads were kept. */
const before = (runs: number) => `${runs} ended before heads were kept: only their chains were verified`;

test("a file as it was written is intact: exit 0, with its head", async () => {
  const { code, stdout } = await runCortex(journal, ["audit", "verify", whole]);
  expect(code).toBe(0);
  expect(stdout).toBe(`${whole}  intact  3 lines  ${head}\n1 intact, 0 not chained, 0 broken, 0 gone\n${before(1)}`);
});

test("a changed line is named by file and number: exit 1", async () => {
  const { code, stdout } = await runCortex(journal, ["audit", "verify", "--day", "20250110"]);
  expect(code).toBe(1);
  expect(stdout).toBe(
    `${endedFile(journal, changed)}:2: isn't what stood there when line 3 was written\n0 intact, 0 not chained, 1 broken, 0 gone\n${before(1)}`,
  );
});

test("--all --json tells of every file, compressed ones and those from before as well", async () => {
  const { code, document } = await runCortexJson(journal, ["audit", "verify", "--all"]);
  expect(code).toBe(1);
  expect(document).toMatchObject({
    runs: [
      { agent_id: old, state: "not_chained", lines: 1, chained_from: null, problems: [] },
      { agent_id: packed, state: "intact", path: compressedFile(journal, packed) },
      { agent_id: changed, state: "broken", problems: [{ line: 2 }] },
      { agent_id: whole, state: "intact", head, chained_from: 1 },
    ],
    totals: { intact: 2, not_chained: 1, broken: 1, gone: 0, before_heads: 4 },
    heads: [],
  });
});

test("verify needs its runs named, in one way", async () => {
  for (const args of [[], ["--all", whole], ["--day", "20250230"], ["--day", "x"]]) {
    const { code, document } = await runCortexJson(journal, ["audit", "verify", ...args]);
    expect([code, document["ok"]]).toEqual([2, false]);
  }
  expect((await runCortex(journal, ["audit"])).code).toBe(2);
});

test("runs prune says what it would do, does it, and says of a run that is gone that it was deleted", {
  timeout: 120_000,
}, async () => {
  utimesSync(endedFile(journal, whole), 1736380800, 1736380800);
  const rules = { maxBytes: 100, kinds: ["text/*"] };
  const { id } = await storeAttachment(join(journal, "attachments"), "list.txt", [Buffer.from("eggs")], rules);
  utimesSync(join(journal, "attachments", contentPath(id)), 1736380800, 1736380800);
  expect((await runCortex(journal, ["runs", "prune"])).stderr).toContain("the settings have no retention");
  for (const days of ["0", "x", "-1", "1.5"])
    expect((await runCortex(journal, ["runs", "prune", `--older-than=${days}`])).code).toBe(2);
  const dry = await runCortex(journal, ["runs", "prune", "--older-than", "30", "--dry-run"]);
  expect(dry.stdout).toBe(`${whole}  would be deleted\n1 stored file  would be deleted`);
  writeFileSync(join(journal, "cortex.json"), '{"retention":{"delete_after_days":30}}');
  const { code, document } = await runCortexJson(journal, ["runs", "prune"]);
  expect([code, document["deleted"]]).toEqual([0, [{ agent_id: whole, freed_bytes: expect.any(Number) }]]);
  expect(document["attachments"]).toEqual({ deleted: [{ id, freed_bytes: 4 }] });
  const shown = await runCortex(journal, ["runs", "show", whole]);
  expect([shown.code, shown.stderr]).toEqual([2, expect.stringContaining(`run ${whole} was deleted`)]);
  writeFileSync(join(journal, "cortex.json"), '{"retention":{"delete_after_day":30}}');
  expect((await runCortex(journal, ["runs", "prune"])).stderr).toContain("delete_after_day");
});

test("a compressed run is shown and followed like any other", async () => {
  const { document } = await runCortexJson(journal, ["runs", "show", packed]);
  expect(document).toMatchObject({ run: { state: "finished" }, events: [{ seq: 1 }, { seq: 2 }, { seq: 3 }] });
  expect((await runCortex(journal, ["runs", "tail", packed, "--json"])).stdout.split("\n")).toHaveLength(3);
  expect((await runCortex(journal, ["runs", "show", packed])).stdout).toContain(compressedFile(journal, packed));
});
