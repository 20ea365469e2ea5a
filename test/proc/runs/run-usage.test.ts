import { afterAll, describe, expect, test } from "vitest";
import { pssBytes, UsageMeter } from "../../../proc/runs/run-usage.ts";
import { agentOf, sweepRun } from "../../../proc/runs/run.ts";
import { isolations, ShimRuns, until } from "./shim-runs.ts";

const mebibyte = 1024 * 1024;
const node = (code: string) => [process.execPath, "-e", code];
/** Has 64 MiB, and a child in a session of its own that has 64 more. */
const family = `
  const eat = "const all = Buffer.alloc(2 ** 26, 1); setInterval(() => all, 9e6)";
  require("node:child_process").spawn(process.execPath, ["-e", eat], { detached: true });
  eval(eat); setTimeout(() => console.log("up"))`;

describe.runIf(process.platform === "linux").each(isolations)("with $level", (isolation) => {
  const shim = new ShimRuns(isolation);
  afterAll(() => shim[Symbol.asyncDispose]());

  test("a run's usage is that of all its processes, whatever session they are in", async () => {
    const folder = await shim.start(node(family));
    const agent = await shim.born(folder);
    const run = { agent, inNamespace: isolation.level === "pidns" };
    const meter = new UsageMeter();
    const measure = () => meter.measure(new Map([["run", run]])).get("run");
    await shim.said(folder, "up");
    await until(() => pssBytes(run) > 128 * mebibyte, "both have their memory");
    const usage = measure();
    expect(usage?.memoryBytes).toBeGreaterThan(pssBytes(run));
    expect(usage?.cpuSeconds).toBeGreaterThan(0);
    expect(usage?.tasks).toBeGreaterThan(2);
    expect(usage?.tasks).toBeLessThan(60);
    process.kill(-agent.pid, "SIGKILL");
    await sweepRun(folder);
    await shim.ended(folder);
    await until(() => measure() === undefined, "those that were killed have gone");
  });

  test("CPU time counts for processes that have ended as well", async () => {
    const folder = await shim.sh("sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done'; echo done; sleep 60");
    await shim.said(folder, "done");
    const agent = agentOf(folder);
    if (!agent) throw new Error("no agent");
    const run = { agent, inNamespace: isolation.level === "pidns" };
    expect(new UsageMeter().measure(new Map([["run", run]])).get("run")?.cpuSeconds).toBeGreaterThan(0.05);
    process.kill(-agent.pid, "SIGKILL");
    await shim.ended(folder);
  });

  test("another process that got an agent's number is not measured", () => {
    const agent = { pid: process.pid, boot: "b", start: "1" };
    expect(new UsageMeter().measure(new Map([["run", { agent, inNamespace: false }]])).size).toBe(0);
  });
});
