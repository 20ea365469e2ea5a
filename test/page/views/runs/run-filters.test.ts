import { expect, test } from "vitest";
import {
  addressOf,
  filtersOf,
  isUnfiltered,
  mayFit,
  pressed,
  queryOf,
  type RunFilters,
} from "../../../../page/views/runs/run-filters.ts";

test("filters are part of the address, and come back from it", () => {
  const filters = {
    ...filtersOf(""),
    text: "rc2 & more",
    states: ["failed"],
    persona: "gauge-check",
    schedule: "audit",
    day: "20250117",
    until: "20250119",
  } satisfies RunFilters;
  const address = addressOf(filters);
  expect(address).toBe(
    "/runs?text=rc2+%26+more&persona=gauge-check&schedule=audit&day=20250117&until=20250119&state=failed",
  );
  expect(filtersOf(address.split("?")[1] ?? "")).toEqual(filters);
});

test("the address without filters is short", () => {
  expect(addressOf(filtersOf(""))).toBe("/runs");
  expect(isUnfiltered(filtersOf(""))).toBe(true);
});

test("what is no filter is left out", () => {
  expect(filtersOf("state=made-up&day=yesterday&until=1&state=__proto__&x=1")).toEqual(filtersOf(""));
  expect(filtersOf("state=toString").states).toEqual([]);
});

test("several days, an agent and a provider are asked for as the API calls them", () => {
  expect(queryOf(filtersOf("day=20250117&until=20250119&agent=a1&backend=openai"))).toEqual({
    day: "20250117",
    day_to: "20250119",
    agent: "a1",
    backend: "openai",
  });
});

test("a state as people say it stands for all of the API's", () => {
  expect(queryOf(filtersOf("state=failed&text=%20"))).toEqual({ state: "failed,orphaned" });
});

test("several states stand in one address, as people call them or as the API does, and are asked for together", () => {
  const { states } = filtersOf("state=working,you");
  expect(states).toEqual(["you", "working"]);
  expect(filtersOf("state=queued,running,waiting").states).toEqual(states);
  expect(filtersOf("state=finished,cancelled,made-up").states).toEqual(["done", "stopped"]);
  expect(queryOf(filtersOf("state=working,you"))).toEqual({ state: "waiting,running,queued" });
  expect(filtersOf("state=you,working,failed,done,stopped")).toEqual(filtersOf(""));
});

test("a press on a state shows that one alone, and a second press any", () => {
  expect(pressed(["you", "working"], "working")).toEqual(["working"]);
  expect(pressed(["working"], "working")).toEqual([]);
  expect(pressed([], "failed")).toEqual(["failed"]);
});

test("a run that has come counts only where its row fits the filters", () => {
  const run = {
    state: "running",
    persona: "coder",
    model: null,
    schedule: "audit",
    agent: null,
    backend: "offline",
  } as const;
  const fits = (query: string) => mayFit(filtersOf(query), run);
  expect(["", "state=working,failed", "persona=coder&schedule=audit", "text=anything"].map(fits)).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect(["state=done", "persona=cook", "model=any", "agent=a1"].map(fits)).toEqual([false, false, false, false]);
});
