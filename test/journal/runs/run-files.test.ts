import { expect, test } from "vitest";
import { activeFile, endedFile, parseRunFileName, runDay, runState } from "../../../journal/runs/run-files.ts";
import { agentId, day } from "../temporary-journal.ts";

test("a run's folder is the UTC day of its id", () => {
  expect(runDay(agentId)).toBe(day);
  expect(runDay("1736380799999")).toBe("20250108");
  expect(activeFile("/j", agentId)).toBe(`/j/runs/${day}/${agentId}_active.jsonl`);
  expect(endedFile("/j", agentId)).toBe(`/j/runs/${day}/${agentId}.jsonl`);
  expect(runState("/no/such/journal", agentId)).toBe("absent");
});

test("a name says which run it is of, and nothing else is a run", () => {
  expect(parseRunFileName(`${agentId}.jsonl`)).toEqual({ agentId, isActive: false });
  expect(parseRunFileName(`${agentId}_active.jsonl`)).toEqual({ agentId, isActive: true });
  expect(parseRunFileName(`${agentId}.jsonl.gz`)).toEqual({ agentId, isActive: false });
  for (const name of [
    `${agentId}_active.jsonl.gz`,
    `${agentId}.jsonl.gz.tmp`,
    "pruned.jsonl",
    "notes.jsonl",
    `${agentId}.json`,
    `${agentId}_active.jsonl.tmp`,
    `0${agentId}.jsonl`,
    "..jsonl",
  ])
    expect(parseRunFileName(name), name).toBe(null);
});
