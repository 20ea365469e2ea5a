import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { currentBoot, isAlive, startOf } from "../../../proc/processes/identity.ts";
import {
  agentOf,
  cpuTimeUsedUp,
  exitOf,
  putLine,
  recordStop,
  signalRun,
  stopReasonOf,
  sweepRun,
  wakeFeeder,
  wasStarted,
} from "../../../proc/runs/run.ts";
import { isolations, parentOf, ShimRuns, until } from "./shim-runs.ts";

const textOf = (folder: string, name: string) => readFileSync(join(folder, name), "utf8");

/** Ignores TERM, and has a child and a grandchild by a double fork that ignore it too. */
const deaf = `trap '' TERM; (trap '' TERM; sleep 71) & ( (trap '' TERM; sleep 72) & ) ; echo up; while :; do sleep 1; done`;

describe.each(isolations)("with $level", (isolation) => {
  const { level } = isolation;
  const runs = () => new ShimRuns(isolation);

  test.concurrent("an exit code is recorded, and no process is left", async () => {
    await using shim = runs();
    const folder = await shim.sh("echo hi; echo oh >&2; exit 7");
    expect(await shim.ended(folder)).toEqual({ code: 7, stop: null });
    expect([textOf(folder, "out"), textOf(folder, "err")]).toEqual(["hi\n", "oh\n"]);
    await shim.empty(folder);
  });

  test.concurrent("an agent that a signal killed has 128 and the signal's number", async () => {
    await using shim = runs();
    const folder = await shim.sh("kill -9 $$");
    expect(await shim.ended(folder)).toEqual({ code: 137, stop: null });
  });

  test.concurrent("a program that isn't there is 127, with the reason in err", async () => {
    await using shim = runs();
    const folder = await shim.start(["/no/such/agent"]);
    expect((await shim.ended(folder)).code).toBe(127);
    expect(textOf(folder, "err")).toMatch(/not found|No such file/);
  });

  test.concurrent("the kernel holds an agent and its children to its files and its CPU time, and dumps no core", async () => {
    await using shim = runs();
    const limits = { openFiles: 77, cpuSeconds: 1, tasks: 50 };
    const folder = await shim.sh("sh -c 'ulimit -n; ulimit -c; ulimit -S -t'; while :; do :; done", { limits });
    expect(await shim.ended(folder)).toEqual({ code: cpuTimeUsedUp, stop: null });
    expect(textOf(folder, "out")).toBe("77\n0\n1\n");
    await shim.empty(folder);
  });

  test.concurrent("an agent that never reads its 5 MB of configuration holds nobody up", async () => {
    await using shim = runs();
    const folder = await shim.prepare();
    await putLine(folder, "x".repeat(5_000_000), 1);
    await shim.start(["/bin/sh", "-c", "echo up; sleep 0.2"], folder);
    await putLine(folder, "more");
    expect((await shim.ended(folder)).code).toBe(0);
    await shim.empty(folder);
  });

  test.concurrent("a line of 5 MB and 300 more arrive whole and in order, put before and after the agent's birth", async () => {
    await using shim = runs();
    const folder = await shim.prepare();
    const lines = [
      `{"pad":"${"é".repeat(2_500_000)}"}`,
      ...Array.from({ length: 300 }, (_, index) => `${index} \u2028`),
    ];
    await putLine(folder, lines[0] ?? "", 1);
    await putLine(folder, "a repetition: its place is taken", 1);
    for (const line of lines.slice(1, 20)) await putLine(folder, line);
    await shim.start(["head", "-n", "301"], folder);
    for (const line of lines.slice(20)) await putLine(folder, line);
    expect((await shim.ended(folder)).code).toBe(0);
    expect(textOf(folder, "out") === `${lines.join("\n")}\n`).toBe(true);
  });

  test.concurrent("a line whose bell nobody rang is given when the feeder is woken", async () => {
    await using shim = runs();
    const folder = await shim.sh('read -r one; echo "$one"; read -r two; echo "$two"');
    await putLine(folder, "first");
    await until(() => textOf(folder, "out") === "first\n", "the feeder waits");
    const [unlinked, place] = [".second", "2"].map((name) => join(folder, "in", name)) as [string, string];
    writeFileSync(unlinked, "second\n");
    renameSync(unlinked, place);
    wakeFeeder(folder);
    await shim.ended(folder);
    expect(textOf(folder, "out")).toBe("first\nsecond\n");
  });

  test.concurrent("lines put at the same time each get a place", async () => {
    await using shim = runs();
    const folder = await shim.start(["head", "-n", "100"]);
    const lines = Array.from({ length: 100 }, (_, index) => String(index));
    await Promise.all(lines.map((line) => putLine(folder, line)));
    await shim.ended(folder);
    const heard = textOf(folder, "out").trim().split("\n");
    expect(heard.toSorted((a, b) => Number(a) - Number(b))).toEqual(lines);
  });

  test.concurrent("a grandchild that keeps stdout open is stopped two seconds after the agent's end", async () => {
    await using shim = runs();
    const folder = await shim.prepare();
    // It speaks when the agent's end is written down, and starts nothing before: of the two seconds a busy machine needs all.
    const late = `until [ -s '${folder}/exit' ]; do :; done; echo late; sleep 60`;
    await shim.start(["/bin/sh", "-c", `(${late}) & echo hi; exit 3`], folder);
    expect(await shim.ended(folder)).toEqual({ code: 3, stop: null });
    expect(textOf(folder, "out")).toBe("hi\nlate\n");
    await shim.empty(folder);
  });

  test.concurrent("a tree that is deaf to TERM is killed, and the reason was written before", async () => {
    await using shim = runs();
    const folder = await shim.sh(deaf);
    await shim.said(folder, "up");
    recordStop(folder, "cancelled");
    recordStop(folder, "timeout");
    expect(stopReasonOf(folder)).toBe("cancelled");
    expect(signalRun(folder, "SIGTERM")).toBe(true);
    expect(signalRun(folder, "SIGKILL")).toBe(true);
    expect(await shim.ended(folder)).toEqual({ code: 137, stop: "cancelled" });
    await sweepRun(folder);
    await shim.empty(folder);
    expect(signalRun(folder, "SIGTERM")).toBe(false);
  });

  test.concurrent("an agent that answers TERM with a code of its own has that code", async () => {
    await using shim = runs();
    const folder = await shim.sh("trap 'exit 21' TERM; echo up; while :; do sleep 0.01; done");
    await shim.said(folder, "up");
    signalRun(folder, "SIGTERM");
    expect((await shim.ended(folder)).code).toBe(21);
  });

  test.concurrent("a process that left the group and kept its environment is found", async () => {
    await using shim = runs();
    const folder = await shim.sh(`setsid sh -c "trap '' TERM; echo up; exec sleep 60" & sleep 60`);
    await shim.said(folder, "up");
    signalRun(folder, "SIGKILL");
    await sweepRun(folder);
    await shim.ended(folder);
    await shim.empty(folder);
    expect(signalRun(folder, "SIGTERM")).toBe(false);
  });

  test
    .runIf(level === "pidns")
    .concurrent("what left the group without its environment ends with the run", async () => {
      await using shim = runs();
      const folder = await shim.sh(`env -i setsid sleep 987 >/dev/null 2>&1 3>&- & echo up; exit 0`);
      const agent = await shim.born(folder);
      expect(await shim.ended(folder)).toEqual({ code: 0, stop: null });
      await shim.empty(folder);
      await until(() => !isAlive(agent), "the agent is gone");
      // It carries no mark, and works elsewhere: it is known by its command alone.
      await until(() => !commandLines().some((line) => line === "sleep\u0000987\u0000"), "the escapee is gone");
    });

  test.concurrent("a killed shim loses the status, and the end is reported all the same", async () => {
    await using shim = runs();
    const folder = await shim.prepare();
    const go = join(folder, "go");
    await shim.start(["/bin/sh", "-c", `echo up; until [ -e '${go}' ]; do sleep 0.01; done; echo later`], folder);
    const agent = await shim.born(folder);
    await shim.said(folder, "up");
    process.kill(parentOf(agent.pid), "SIGKILL");
    writeFileSync(go, "");
    expect(await shim.ended(folder)).toEqual({ code: null, stop: null });
    // A process that is killed closes its files, which is what is told, a moment before it has gone.
    await until(() => !isAlive(agent), "the agent is gone");
    // In a group the agent worked on; a namespace ends with its first process.
    if (level === "group") expect(textOf(folder, "out")).toBe("up\nlater\n");
    await sweepRun(folder);
    await shim.empty(folder);
  });

  test.concurrent("a run that nobody watches over is stopped; one that is watched over goes on", async () => {
    await using silent = runs();
    await using watched = runs();
    const orphanGraceSeconds = 2;
    const polite = await silent.sh("sleep 60", { orphanGraceSeconds });
    const stubborn = await silent.sh(deaf, { orphanGraceSeconds });
    const other = await watched.sh("echo up; read -r line", { orphanGraceSeconds });
    silent.fallSilent();
    expect(await silent.ended(polite)).toEqual({ code: 143, stop: "orphaned" });
    expect(await silent.ended(stubborn)).toEqual({ code: 137, stop: "orphaned" });
    await Promise.all([silent.empty(polite), silent.empty(stubborn)]);
    expect(exitOf(other)).toEqual({ code: null, stop: null });
    await putLine(other, "bye");
    expect(await watched.ended(other)).toEqual({ code: 0, stop: null });
  });

  test.concurrent("however often a folder is started, one agent is", async () => {
    await using shim = runs();
    const folder = await shim.prepare();
    expect(wasStarted(folder)).toBe(false);
    const command = ["/bin/sh", "-c", "echo started; read -r line"];
    await Promise.all(Array.from({ length: 8 }, () => shim.start(command, folder)));
    const agent = await shim.born(folder);
    expect(wasStarted(folder)).toBe(true);
    await shim.start(command, folder);
    await putLine(folder, "go");
    expect((await shim.ended(folder)).code).toBe(0);
    expect(textOf(folder, "out")).toBe("started\n");
    expect(agentOf(folder)).toEqual(agent);
  });

  test.concurrent("an agent sees the environment that it is given, and the shell's own variables", async () => {
    await using shim = runs();
    const ofShim = { tick: "a", work: "b", pid: "c", code: "d", agent: "e" }; // what a shell script would like to call its own
    const folder = await shim.start(["env"], undefined, { env: { PATH: process.env["PATH"] ?? "", ...ofShim } });
    await shim.ended(folder);
    const lines = textOf(folder, "out").trim().split("\n");
    const given = Object.entries(ofShim).map(([name, value]) => `${name}=${value}`);
    expect(lines).toEqual(expect.arrayContaining(given));
    const names = lines.filter((line) => !given.includes(line));
    expect(names.map((line) => line.replace(/=.*/, "")).toSorted()).toEqual(["CORTEX_RUN", "PATH", "PWD"]);
  });
});

test("a process that merely has the number of an agent is never signalled", async () => {
  await using shim = new ShimRuns(isolations.at(-1) ?? isolations[0]!);
  const folder = await shim.sh("exit 0");
  await shim.ended(folder);
  const victim = spawn("sleep", ["60"], { detached: true, stdio: "ignore" });
  try {
    const pid = victim.pid ?? 0;
    const start = await until(() => startOf(pid), "the victim");
    const forged = [
      `${pid} ${currentBoot()} ${Number(start) - 1}\n`, // another process of that number
      `${pid} 00000000-0000-0000-0000-000000000000 ${start}\n`, // of another boot
      `${pid} ${currentBoot()} ${start}`, // torn
      `-1 ${currentBoot()} ${start}\n`,
      "",
    ];
    for (const identity of forged) {
      writeFileSync(join(folder, "id"), identity);
      expect(signalRun(folder, "SIGKILL"), identity).toBe(false);
    }
    expect(victim.exitCode).toBe(null);
    expect(startOf(pid)).toBe(start);
    // The same file with nothing forged: the test can fail.
    writeFileSync(join(folder, "id"), `${pid} ${currentBoot()} ${start}\n`);
    expect(signalRun(folder, "SIGKILL")).toBe(true);
    await once(victim, "exit");
  } finally {
    victim.kill("SIGKILL");
  }
});

function commandLines(): string[] {
  return readdirSync("/proc").map((name) => {
    try {
      return readFileSync(join("/proc", name, "cmdline"), "utf8");
    } catch {
      return "";
    }
  });
}
