import { expect, test } from "vitest";
import { addressOf, filtersOf, isUnfiltered, queryOf } from "../../../../page/views/runs/run-filters.ts";

test("filters are part of the address, and come back from it", () => {
  const filters = {
    ...filtersOf(""),
    text: "rc2 & more",
    state: "failed",
    persona: "gauge-check",
    day: "20250117",
    until: "20250119",
  } as const;
  const address = addressOf(filters);
  expect(address).toBe("/runs?text=rc2+%26+more&persona=gauge-check&day=20250117&until=20250119&state=failed");
  expect(filtersOf(address.split("?")[1] ?? "")).toEqual(filters);
});

test("without filters the address is short", () => {
  expect(addressOf(filtersOf(""))).toBe("/runs");
  expect(isUnfiltered(filtersOf(""))).toBe(true);
});

test("what is no filter is left out", () => {
  expect(filtersOf("state=made-up&day=yesterday&until=1&state=__proto__&x=1")).toEqual(filtersOf(""));
  expect(filtersOf("state=toString").state).toBe("any");
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
