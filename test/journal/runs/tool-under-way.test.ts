import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { activeFile } from "../../../journal/runs/run-files.ts";
import { toolUnderWay } from "../../../journal/runs/tool-under-way.ts";
import { temporaryJournal } from "../temporary-journal.ts";

const agentId = "1736380800000";
const start = { event: "start", attempt: 1 };
const begun = (tool: string, call_id: string) => ({ event: "tool_start", tool, args: {}, call_id });
const ended = (tool: string, call_id: string) => ({
  event: "tool_end",
  tool,
  args: {},
  call_id,
  result: "",
  is_error: false,
});

test.each([
  ["nothing was called yet", [start], null],
  ["a call is under way", [start, begun("search_journal", "1")], "search_journal"],
  ["the call has ended", [start, begun("search_journal", "1"), ended("search_journal", "1")], null],
  [
    "the next call is under way",
    [
      start,
      begun("search_journal", "1"),
      ended("search_journal", "1"),
      begun("get_events", "2"),
      { event: "text", text: "…" },
    ],
    "get_events",
  ],
  ["an earlier attempt was lost in a call", [start, begun("search_journal", "1"), { ...start, attempt: 2 }], null],
])("%s", (_, events, tool) => {
  using journal = temporaryJournal();
  const file = activeFile(journal.path, agentId);
  mkdirSync(dirname(file), { recursive: true });
  const lines = events.map((event, index) =>
    JSON.stringify({ ts: 1736380800000, agent_id: agentId, seq: index + 1, ...event }),
  );
  writeFileSync(file, `${lines.join("\n")}\n{"event":"tool_st`);
  expect(toolUnderWay(journal.path, agentId)).toBe(tool);
});

test("a run without a file is using none", () => {
  using journal = temporaryJournal();
  expect(toolUnderWay(journal.path, agentId)).toBe(null);
});
