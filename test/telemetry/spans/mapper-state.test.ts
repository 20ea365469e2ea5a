import { expect, test } from "vitest";
import { dropSilent, forgetContent } from "../../../telemetry/spans/mapper-state.ts";
import { begun, eventsOf, map, newState, runId } from "./mapped.ts";

const dayMs = 24 * 3_600_000;

test("a run that isn't heard of for longer than the bus keeps events is let go, and begins no more", () => {
  const state = newState();
  const silent = eventsOf(begun);
  const late = eventsOf(begun, String(Number(runId) + 9 * dayMs));
  map([...silent, ...late], { state });
  expect(dropSilent(state, Number(runId) + 7 * dayMs)).toEqual([]);
  expect(dropSilent(state, Number(runId) + 9 * dayMs)).toEqual([runId]);
  expect(Object.keys(state.runs)).toEqual([late[0]?.agent_id]);
  expect(map(eventsOf([...begun, { event: "finish", at: 5, result: "" }]), { state }).spans).toEqual([]);
});

test("what was said is gone from the runs that are open once content isn't sent any more", () => {
  const state = newState();
  const call = { event: "tool_start", at: 200, tool: "read", call_id: "c1", args: { path: "secret-notes.md" } };
  map(eventsOf([...begun, call]), { state, content: true });
  expect(JSON.stringify(state)).toContain("secret-notes.md");
  forgetContent(state);
  expect(JSON.stringify(state)).not.toMatch(/secret-notes|hello/);
});
