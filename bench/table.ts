/** Measures, and prints the table: what `main.ts` starts. */
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { packageFile } from "../proc/programs/package-file.ts";
import type { Benchmark, Row } from "./harness/figures/benchmark.ts";
import { machine } from "./harness/figures/machine.ts";
import { markdownOf, ratiosOf, tableOf, verdict } from "./harness/figures/report.ts";
import { median } from "./harness/figures/spread.ts";

const help = `
Usage: npm run bench -- [NAME...] [--quick] [--rounds COUNT] [--json] [--markdown]

Measures what is ours beside what it is compared with, and prints medians, ratios with the least and the most, and
whether each target is met. A NAME is one of:
  NAMES

  --quick      few rounds and small sizes: whether it works and how the ratios stand, without a verdict; what grows
               with numbers (start-up, waiting, many-files, continuation, growth, agents, long-thread, page, page-runs, search) only when it is named
  --rounds     how many, instead of 9 (2 with --quick)
  --json       every figure of every round
  --markdown   write the table into docs/performance.md as well, between its two marks
`;

const benchmarks: Record<string, () => Promise<{ measure: Benchmark }>> = {
  hello: () => import("./rows/hello.ts"),
  "at-once": () => import("./rows/at-once.ts"),
  "tool-calls": () => import("./rows/tool-calls.ts"),
  "event-pipe": () => import("./rows/event-pipe.ts"),
  commands: () => import("./rows/commands.ts"),
  gateway: () => import("./rows/programs/gateway.ts"),
  telemetry: () => import("./rows/programs/telemetry.ts"),
  "start-up": () => import("./rows/start-up.ts"),
  waiting: () => import("./rows/waiting.ts"),
  "many-files": () => import("./rows/many-files.ts"),
  continuation: () => import("./rows/continuation.ts"),
  growth: () => import("./rows/growth.ts"),
  agents: () => import("./rows/agents.ts"),
  "long-thread": () => import("./rows/long-thread.ts"),
  page: () => import("./rows/page.ts"),
  "page-runs": () => import("./rows/page-runs.ts"),
  search: () => import("./rows/search.ts"),
};

/**
 * The benchmarks that grow with numbers: of small ones nothing is to be seen, so these are measured quickly only when
 * they are named.
 */
const lengthy = [
  "start-up",
  "waiting",
  "many-files",
  "continuation",
  "growth",
  "agents",
  "long-thread",
  "page",
  "page-runs",
  "search",
];

const marks = { begin: "<!-- npm run bench -->", end: "<!-- end -->" };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: "boolean" },
    rounds: { type: "string" },
    json: { type: "boolean" },
    markdown: { type: "boolean" },
    help: { type: "boolean", short: "h" },
  },
});
const isQuick = values.quick ?? false;
const all = Object.keys(benchmarks).filter((name) => !(isQuick && lengthy.includes(name)));
const names = positionals.length > 0 ? positionals : all;
const unknown = names.filter((name) => !Object.hasOwn(benchmarks, name));
const rounds = Number(values.rounds ?? (isQuick ? 2 : 9));

if (values.help || unknown.length > 0 || !(Number.isInteger(rounds) && rounds > 0)) {
  process.stdout.write(`${help.replace("NAMES", Object.keys(benchmarks).join(" ")).trim()}\n`);
  process.exit(values.help ? 0 : 2);
}

const rows: Row[] = [];
const failed: string[] = [];
for (const name of names) {
  const started = performance.now();
  try {
    const module = await benchmarks[name]?.();
    rows.push(...((await module?.measure({ rounds, isQuick })) ?? []));
    process.stderr.write(`${name}: ${((performance.now() - started) / 1000).toFixed(1)} s\n`);
  } catch (error) {
    failed.push(name);
    process.stderr.write(`${name} failed: ${error instanceof Error ? error.stack : String(error)}\n`);
  }
}

const about = machine();
if (values.json) process.stdout.write(`${JSON.stringify({ about, rows: rows.map(judged) }, null, 2)}\n`);
else process.stdout.write(`${about}\n\n${tableOf(rows, !isQuick)}\n`);
if (values.markdown) writeBetweenMarks(packageFile("docs/performance.md"), `${about}\n\n${markdownOf(rows)}`);
process.exitCode = failed.length > 0 ? 1 : 0;

function judged(row: Row) {
  const ratios = ratiosOf(row);
  return { ...row, ratios, median: median(row.ours), ratio: ratios && median(ratios), verdict: verdict(row) };
}

/** @throws Error when the file lacks the marks */
function writeBetweenMarks(file: string, text: string): void {
  const page = readFileSync(file, "utf8");
  const [begin, end] = [page.indexOf(marks.begin), page.indexOf(marks.end)];
  if (begin < 0 || end < begin)
    throw new Error(`${file}: expected a line "${marks.begin}" and a later one "${marks.end}"`);
  writeFileSync(file, `${page.slice(0, begin)}${marks.begin}\n${text}\n${page.slice(end)}`);
}
