/** The numbers for which the sources cite docs/contract.md stand on that page, and its lists are those of the code. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cortexOwnEvents } from "../../protocol/runs/event.ts";
import { type BuiltInBackend, builtInBackends } from "../../protocol/settings/backends.ts";
import { root } from "./pages.ts";

/** A file that cites the page: the lines of it that the page holds as well, each with the page's words. */
const citations: Record<string, [source: string, page: string][]> = {
  "agents/inbox/next-turn.ts": [["usualJoinWindowMs = 300", "`agents.join_window_ms` (300)"]],
  "agents/replies/sent-replies.ts": [["receiptMs = 30_000", "Without a receipt within 30 s"]],
  "bus/runs/follow-run.ts": [["leaveMs = 30_000", "After a terminal event a process has 10 s to leave."]],
  "agents/turns/turn-request.ts": [["usualDepth = 1", "`agents.max_depth` (1)"]],
  "backends/acp/event-mapper.ts": [["pulseMs = 5_000", "at most every 5 s"]],
  "backends/claude/event-mapper.ts": [["pulseMs = 5_000", "at most every 5 s"]],
  "backends/claude/options.ts": [["retries = 7", "8 attempts"]],
  "backends/loop/run/model-call.ts": [["pulseMs = 5_000", "at most every 5 s"]],
  "backends/provider/provider.ts": [
    ["new Set([429, 500, 502, 503, 504, 529])", "429, 529, 500, 502, 503, 504 and broken connections"],
  ],
  "agents/tasks/task-slots.ts": [["usualMost = 4", "`agents.max_parallel` (4)"]],
  "backends/provider/retry.ts": [
    ["maxAttempts = 8", "8 attempts"],
    ["firstDelayMs = 2_000", "2 s × 2^(n−1) ± 20 %"],
    ["maxDelayMs = 60_000", "at most 60 s"],
    ["jitter = 0.2", "± 20 %"],
  ],
  "conversation/repair.ts": [
    ['{ cancelled: true, reason: "process restarted" }', '{"cancelled":true,"reason":"process restarted"}'],
  ],
  "cortex/main.ts": [["stopGraceSeconds = 30", "`stop_grace_seconds` (30)"]],
  "cortex/output/agent-output.ts": [["traceBytes = 64 * 1024", "its last 64 KiB"]],
  "cortex/plan/merge.ts": [
    ["defaultMaxTurns = 50", "`max_turns` (50)"],
    ["timeout_seconds: 600", "`timeout_seconds` (600)"],
    ["idle_timeout_seconds: 180", "`idle_timeout_seconds` (180)"],
    ["max_attempts: 3", "`max_attempts` (3)"],
    ["max_output_bytes: 1024 ** 3", "`max_output_bytes` (1 GiB)"],
  ],
  "cortex/process/run-command.ts": [["orphanGraceSeconds = 120", "`orphan_grace_seconds` (120)"]],
  "files/lines/line-splitter.ts": [["8 * 1024 * 1024", "a line over 8 MiB"]],
  "gateway/usual-port.ts": [["usualGatewayPort = 6273", "The gateway is at `http://127.0.0.1:6273`"]],
  "proc/programs/environment.ts": [
    ["NATS_CA_FILE", "`NATS_CA_FILE`"],
    ["JOURNAL_PATH", "`JOURNAL_PATH`"],
  ],
  "protocol/guards/secrets.ts": [["shortestSecret = 8", "those of 8 characters or more"]],
  "schedule/calendar/plan.ts": [["catchUpDays = 4", "Up to 4 days are caught up"]],
  "schedule/calendar/scheduled.ts": [["defaultPriority = 50", "`priority` (50)"]],
  "supervisor/programs/nats-program.ts": [["standardPort = 4222", "at first 4222"]],
  "supervisor/programs/programs.ts": [["stopGraceSeconds = 30", "`stop_grace_seconds` (30)"]],
  "schedule/units/group.ts": [["maxAttempts = 3", "at most 3 times in all"]],
  "schedule/units/work-for.ts": [["defaultTimeoutSeconds = 600", "`timeout_seconds` (600)"]],
  "workspace/context/summary-request.ts": [["mostTokens = 500", "at most 500 tokens, by `workspace.summary_model`"]],
};

const page = readFileSync(join(root, "docs/contract.md"), "utf8");
const ours = /^(?!node_modules|dist|test|tools|\.)/;

test.each(Object.entries(citations))("the page says the numbers for which %s cites it", (file, lines) => {
  const text = readFileSync(join(root, file), "utf8");
  for (const [source, said] of lines) {
    expect(text).toContain(source);
    expect(page).toContain(said);
  }
});

test("every source that cites the page is held against it", () => {
  const files = globSync("**/*.ts", { cwd: root, exclude: (path) => !ours.test(path) });
  const citing = files.filter(
    (file) => ours.test(file) && readFileSync(join(root, file), "utf8").includes("docs/contract.md"),
  );
  expect(citing.toSorted()).toEqual(Object.keys(citations).toSorted());
});

test("the page names the events that are cortex's own, each of them and no other", () => {
  expect(listed(/except those that are cortex's own \(([^)]*)\)/)).toEqual([...cortexOwnEvents]);
});

test("the page names the built-in backends, their variables, and the order in which a default is looked for", () => {
  const backends: [string, BuiltInBackend][] = Object.entries(builtInBackends);
  expect(listed(/^\| backend \|([^|]*)\|/m).toSorted()).toEqual(backends.map(([name]) => name).toSorted());
  const variables = new Set(backends.flatMap(([, { key, environment }]) => [...(key ? [key] : []), ...environment]));
  expect(listed(/^- `JOURNAL_PATH`.*$/m)).toEqual(expect.arrayContaining([...variables]));
  const withKey = backends.filter(([, { key }]) => key !== undefined);
  expect(listed(/^- The default backend is(.*)whose key/m)).toEqual(withKey.map(([name]) => name));
});

/** The words in code style of one place on the page. */
function listed(place: RegExp): string[] {
  const found = place.exec(page);
  if (!found) throw new Error(`docs/contract.md has no place like ${place}`);
  return [...(found[1] ?? found[0]).matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word);
}
