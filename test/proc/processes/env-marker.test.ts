import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { hasEnvMarker, findByEnvMarker } from "../../../proc/processes/env-marker.ts";
import { until } from "../runs/shim-runs.ts";

test("a process whose environment can't be seen may be the one or not", async () => {
  // As while a process becomes another program.
  const child = spawn("/bin/sleep", ["60"], { env: {}, stdio: "ignore" });
  const pid = child.pid ?? 0;
  await until(() => hasEnvMarker(pid, "TEST_MARK", "x") === null, "its environment is empty");
  expect(findByEnvMarker("TEST_MARK", "x")).not.toContain(pid);
  child.kill("SIGKILL");
  await once(child, "exit");
});

test("a process is found by the mark that it was started with, whole and by nothing less", async () => {
  const mark = `mark-${process.pid}-${Date.now()}`;
  const child = spawn("sleep", ["60"], { env: { TEST_MARK: mark }, stdio: "ignore" });
  const pid = child.pid ?? 0;
  // Between fork and exec it is still its parent.
  await until(() => findByEnvMarker("TEST_MARK", mark).length > 0, "it bears the mark");
  expect(findByEnvMarker("TEST_MARK", mark)).toEqual([pid]);
  expect(hasEnvMarker(pid, "TEST_MARK", mark)).toBe(true);
  for (const [name, value] of [
    ["TEST_MARK", mark.slice(0, -1)],
    ["MARK", mark],
    ["TEST_MARK", ""],
  ] as const)
    expect(hasEnvMarker(pid, name, value)).toBe(false);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(findByEnvMarker("TEST_MARK", mark)).toEqual([]);
  expect(hasEnvMarker(pid, "TEST_MARK", mark)).toBe(false);
});
