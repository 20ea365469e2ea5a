import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { currentBoot, identifyProcess, isAlive, parseIdentity, startOf } from "../../../proc/processes/identity.ts";
import { until } from "../runs/shim-runs.ts";

test("a process is itself until it ends, and nobody after that", async () => {
  const child = spawn("sleep", ["60"]);
  const identity = await until(() => identifyProcess(child.pid ?? 0), "the child");
  expect(identity).toEqual({ pid: child.pid, boot: currentBoot(), start: startOf(child.pid ?? 0) });
  expect(isAlive(identity)).toBe(true);
  expect(isAlive({ ...identity, start: `${identity.start}1` })).toBe(false);
  expect(isAlive({ ...identity, boot: "another" })).toBe(false);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(isAlive(identity)).toBe(false);
  expect(identifyProcess(child.pid ?? 0)).toBe(null);
});

test("a zombie is not alive", async () => {
  // The shell's child ends at once, and what the shell has become never asks for it.
  const parent = spawn("/bin/sh", ["-c", "sh -c 'echo $$' & exec sleep 60"], { stdio: ["ignore", "pipe", "ignore"] });
  const [text] = (await once(parent.stdout, "data")) as [Buffer];
  try {
    const zombie = Number(text.toString());
    await until(() => startOf(zombie) === null, "the zombie counts as gone");
    expect(identifyProcess(zombie)).toBe(null);
  } finally {
    parent.kill("SIGKILL");
    await once(parent, "exit");
  }
});

// A program that ends its first thread alone, which Node can't.
const hasThreads = process.platform === "linux" && spawnSync("perl", ["-Mthreads", "-e", "1"]).status === 0;

test.runIf(hasThreads)("a program whose first thread has ended isn't gone before its last has", async () => {
  const exit = process.arch === "arm64" ? 93 : 60; // exit(2), of one thread
  const program = `use threads; threads->create(sub { <STDIN> })->detach; syscall(${exit}, 0)`;
  const child = spawn("perl", ["-e", program], { stdio: ["pipe", "ignore", "ignore"] });
  const pid = child.pid ?? 0;
  await until(() => / Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8")), "the first thread has ended");
  expect(identifyProcess(pid)).not.toBe(null);
  child.stdin.end();
  await once(child, "exit");
  expect(identifyProcess(pid)).toBe(null);
});

test("a name with parentheses and spaces doesn't shift the fields", async () => {
  const child = spawn("/bin/sh", ["-c", `printf ') R 1 (' >/proc/self/comm; echo up; read -r line`], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  const before = await until(() => startOf(child.pid ?? 0), "the start");
  await once(child.stdout, "data");
  expect(startOf(child.pid ?? 0)).toBe(before);
  child.stdin.end("\n");
  await once(child, "exit");
});

test("an identity is read as the shim writes it, and a torn one is none", () => {
  expect(parseIdentity("12 boot-1 345\n")).toEqual({ pid: 12, boot: "boot-1", start: "345" });
  expect(parseIdentity("12 boot-1 Mon Nov  3 10:00:00 2025\n")?.start).toBe("Mon Nov  3 10:00:00 2025");
  for (const torn of ["", "12", "12 boot-1", "12 boot-1 345", "x boot-1 345\n", "-12 boot-1 345\n", "12 boot-1 \n"])
    expect(parseIdentity(torn), JSON.stringify(torn)).toBe(null);
});
