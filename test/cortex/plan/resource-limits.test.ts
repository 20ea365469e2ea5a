import { expect, test } from "vitest";
import { causeOf, defaultResources, loweredLimits } from "../../../cortex/plan/resource-limits.ts";
import { cpuTimeUsedUp } from "../../../proc/runs/run.ts";

const defaults = { max_memory_mb: 1000, max_processes: 100 };

test("a run gets what it wants, up to what the settings allow, and else to the default", () => {
  expect(loweredLimits({}, {}, defaults)).toEqual({ limits: {}, notes: [] });
  expect(loweredLimits({ max_memory_mb: 500, max_cpu_seconds: 7 }, {}, defaults)).toEqual({
    limits: { max_memory_mb: 500, max_cpu_seconds: 7 },
    notes: [],
  });
  expect(loweredLimits({ max_memory_mb: 5000 }, { max_memory_mb: 4000 }, defaults)).toEqual({
    limits: { max_memory_mb: 4000 },
    notes: ["max_memory_mb is 4000, not 5000: no run may have more here"],
  });
  expect(loweredLimits({ max_processes: 101 }, {}, defaults).limits).toEqual({ max_processes: 100 });
});

test("the default leaves half of the machine to everything else", () => {
  expect(defaultResources(16 * 2 ** 30)).toMatchObject({ max_memory_mb: 8192 });
});

test.each([
  [cpuTimeUsedUp, "", "budget", /^used up its CPU time, the limit max_cpu_seconds is 5$/],
  [137, "", "crash", /^exited with code 137: killed from outside/],
  [1, "Error: EMFILE: too many open files", "crash", /^exited with code 1: .*max_open_files is 99$/],
  [2, "sh: 1: Cannot fork", "crash", /^exited with code 2: .*max_processes is 9$/],
])("code %i with %j is %s: %s", (code, trace, reason, error) => {
  const limits = { max_cpu_seconds: 5, max_open_files: 99, max_processes: 9 };
  expect(causeOf(code, trace, limits)).toEqual({ reason, error: expect.stringMatching(error) });
});

test("any other end has nothing to do with limits", () => {
  expect(causeOf(0, "EMFILE", {})).toBe(null);
  expect(causeOf(null, "", {})).toBe(null);
  expect(causeOf(3, "boom", {})).toBe(null);
  expect(causeOf(cpuTimeUsedUp, "", {})).toBe(null);
});
