import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { endedFile } from "../../../../journal/runs/run-files.ts";
import { command } from "../../../../scripts/commands/runs/cost.ts";
import { runCortex, runCortexJson } from "../../run-command.ts";

let journal: string;
const noon = Date.UTC(2025, 0, 9, 12);
const evening = Date.UTC(2025, 0, 9, 23, 30);

function write(ts: number, persona: string, backend: string | null, ...calls: object[]): string {
  const id = String(ts);
  const events = [
    { event: "request", prompt: "x", persona },
    ...(backend === null ? [] : [{ event: "start", backend, model: `${backend}-1` }]),
    ...calls.map((call) => ({ event: "usage", ...call })),
    { event: "finish", result: "done" },
  ];
  const lines = events.map((event, seq) => JSON.stringify({ ts: ts + seq, agent_id: id, seq: seq + 1, ...event }));
  const path = endedFile(journal, id);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${lines.join("\n")}\n`);
  return path;
}

beforeAll(() => {
  journal = mkdtempSync(join(tmpdir(), "cortex-cost-"));
  const call = { input_tokens: 1000, cached_input_tokens: 400, output_tokens: 100, cost_usd: 0.1 };
  write(noon, "default", "anthropic", call, call, call);
  write(noon + 1, "digest", "openai", { ...call, cost_usd: null }, { ...call, model: "other" });
  write(noon + 2, "digest", "mine");
  write(noon + 3, "digest", null);
  write(evening, "default", "anthropic", call);
});
afterAll(() => rmSync(journal, { recursive: true }));

const rowsOf = (document: Record<string, unknown>) =>
  (document["rows"] as { name: string; cost_usd: number | null; calls: number; runs: number }[]).map(
    ({ name, runs, calls, cost_usd }) => [name, runs, calls, cost_usd],
  );

test("a day's costs by persona, dearest first, with a total that is null where a part of it isn't known", async () => {
  const { code, document } = await runCortexJson(journal, ["cost", "--day", "20250109"], { CORTEX_TZ: "UTC" });
  expect(code).toBe(0);
  expect(document).toMatchObject({ from: "20250109", to: "20250109", time_zone: "UTC", by: "persona" });
  expect(rowsOf(document)).toEqual([
    ["default", 2, 4, 0.4],
    ["digest", 2, 2, null],
  ]);
  expect(document["total"]).toEqual({
    runs: 4,
    unknown_runs: 1,
    calls: 6,
    input_tokens: 6000,
    cached_input_tokens: 2400,
    output_tokens: 600,
    reasoning_tokens: 0,
    total_tokens: 6600,
    cost_usd: null,
    known_cost_usd: 0.5,
    unpriced_tokens: 1100,
  });
});

test("costs are shown by backend, by model, and by day: days are those of where one lives", async () => {
  const rows = async (by: string, zone: string) =>
    rowsOf((await runCortexJson(journal, ["cost", "--from", "20250109", "--by", by], { CORTEX_TZ: zone })).document);
  expect(await rows("backend", "UTC")).toEqual([
    ["anthropic", 2, 4, 0.4],
    ["openai", 1, 2, null],
    ["mine", 1, 0, null],
  ]);
  expect((await rows("model", "UTC")).map(([name]) => name)).toEqual(["anthropic-1", "other", "openai-1", "unknown"]);
  expect(await rows("day", "Asia/Kolkata")).toEqual([
    ["20250109", 3, 5, null],
    ["20250110", 1, 1, 0.1],
  ]);
});

test("people read a table, in which what isn't known is called so", async () => {
  const byBackend = ["cost", "--day", "20250109", "--by", "backend"];
  const { code, stdout } = await runCortex(journal, byBackend, { CORTEX_TZ: "UTC" });
  expect(code).toBe(0);
  expect(stdout.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
    ["BACKEND", "RUNS", "CALLS", "INPUT", "CACHED", "OUTPUT", "COST IN USD"],
    ["anthropic", "2", "4", "4,000", "1,600", "400", "0.4000"],
    ["openai", "1", "2", "2,000", "800", "200", "0.1000 + unknown (1,100 tokens without a known price)"],
    ["mine", "1", "0", "0", "0", "0", "unknown (1 run that reported no usage)"],
    [
      "total",
      "4",
      "6",
      "6,000",
      "2,400",
      "600",
      "0.5000 + unknown (1,100 tokens without a known price, 1 run that reported no usage)",
    ],
  ]);
  const none = await runCortex(journal, ["cost", "--from", "20250110", "--to", "20250131"], { CORTEX_TZ: "UTC" });
  expect(none).toMatchObject({ code: 0, stdout: "no runs from 20250110 to 20250131" });
});

test("a journal without any runs has cost nothing", async () => {
  const { code, document } = await runCortexJson(join(journal, "none"), ["cost"]);
  expect([code, document["rows"], document["total"]]).toMatchObject([0, [], { runs: 0, cost_usd: 0 }]);
});

test.each([
  [["--day", "20250230"], '--day "20250230": expected a date'],
  [["--day", "20250109", "--from", "20250101"], "--day with --from or --to"],
  [["--to", "20250109"], "--to 20250109 without --from"],
  [["--from", "20250110", "--to", "20250109"], "--from 20250110 is after 20250109"],
  [["--by", "colour"], '--by "colour": expected one of day, persona, agent, task, backend, model'],
  [["today"], 'unknown argument "today"'],
])("%j is refused with what was expected", async (args, message) => {
  await expect(command.run(args)).rejects.toThrow(message);
});

test("a wrong use exits 2", async () => {
  const { code, stderr } = await runCortex(journal, ["cost", "--week"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("--week")]);
});

test("a run that can't be read is named, the others are shown, and the exit code says that something is missing", async () => {
  const path = endedFile(journal, String(noon + 9));
  mkdirSync(path);
  const day = ["cost", "--day", "20250109", "--json"];
  const { code, stdout, stderr } = await runCortex(journal, day, { CORTEX_TZ: "UTC" });
  rmSync(path, { recursive: true });
  expect([code, JSON.parse(stdout).total.runs, stderr]).toEqual([1, 4, expect.stringContaining(`can't read ${path}`)]);
});
