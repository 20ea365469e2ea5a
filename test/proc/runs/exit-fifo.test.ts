import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { exitOfRun } from "../../../proc/runs/exit-fifo.ts";
import { putLine } from "../../../proc/runs/run.ts";
import { isolations, ShimRuns } from "./shim-runs.ts";

describe.each(isolations)("with $level", (isolation) => {
  test("the end is told to all who wait, and to whoever comes after it", async () => {
    await using shim = new ShimRuns(isolation);
    const folder = await shim.sh("read -r line; exit 4");
    const waiting = [shim.ended(folder), shim.ended(folder), shim.ended(folder)];
    await putLine(folder, "go");
    expect(await Promise.all(waiting)).toEqual(Array.from({ length: 3 }, () => ({ code: 4, stop: null })));
    expect((await shim.ended(folder)).code).toBe(4);
  });

  test("whoever no longer wants to wait is let go", async () => {
    await using shim = new ShimRuns(isolation);
    const folder = await shim.sh("read -r line");
    const reason = new Error("enough");
    await shim.born(folder);
    const [early, late] = [new AbortController(), new AbortController()];
    early.abort(reason);
    await expect(exitOfRun(folder, early.signal)).rejects.toBe(reason);
    const waiting = exitOfRun(folder, late.signal);
    setImmediate(() => late.abort(reason));
    await expect(waiting).rejects.toBe(reason);
    await putLine(folder, "go");
    await shim.ended(folder);
  });
});

test("a run that has an exit code and never had an agent is over", async () => {
  await using shim = new ShimRuns(isolations.at(-1) ?? isolations[0]!);
  const folder = await shim.prepare();
  writeFileSync(join(folder, "exit"), "71\n");
  expect((await shim.ended(folder)).code).toBe(71);
});
