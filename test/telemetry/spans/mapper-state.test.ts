import { describe, expect, test } from "vitest";
import { dropExcess, dropSilent, forgetContent, type MapperState } from "../../../telemetry/spans/mapper-state.ts";
import { nothingSpent } from "../../../protocol/runs/spent.ts";
import { type OpenRun, newRun } from "../../../telemetry/spans/open-run.ts";
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

describe("of what is open at once", () => {
  /** A state with so many open runs, each heard of later than the one before it, from the last to the first. */
  function openState(count: number, fields: Partial<OpenRun> = {}): MapperState {
    const state = newState();
    for (let index = count - 1; index >= 0; index--) {
      const ts = Number(runId) + index;
      state.runs[String(ts)] = { ...newRun(ts), ...fields };
    }
    return state;
  }
  const longest = "x".repeat(32_768);

  test("some 20,000 runs stay, also where each name in them is as long as one can be", () => {
    const name = "\u0001".repeat(200);
    const spent = { ...nothingSpent, input_tokens: Number.MAX_SAFE_INTEGER, cost_usd: 1 / 3 };
    const state = openState(20_000, { persona: name, agent: name, backend: name, model: name, spent });
    expect(dropExcess(state)).toEqual([]);
    expect(JSON.stringify(state).length).toBeLessThan(2 ** 29 - 2 ** 27);
  });

  test.each([
    ["of long prompts", { prompt: longest }],
    ["of calls with long arguments", { tools: [{ id: "c", tool: "t", ts: 1, seq: 1, epoch: 1, args: longest }] }],
  ])("as much stays as one document has room for (%s): the runs that were silent for longest go", (_, fields) => {
    const state = openState(1200, fields);
    const dropped = dropExcess(state);
    expect(dropped.length).toBeGreaterThan(100);
    expect(dropped).toEqual(dropped.map((_id, index) => String(Number(runId) + index)));
    expect(Object.keys(state.runs)).toHaveLength(1200 - dropped.length);
    expect(state.ended).toEqual(dropped);
    expect(JSON.stringify(state).length).toBeLessThan(2 ** 25);
    expect(dropExcess(state)).toEqual([]);
  });
});
