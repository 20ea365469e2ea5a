import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { identifyProcess, isAlive } from "../../../proc/processes/identity.ts";
import { Service } from "../../../proc/programs/service.ts";
import { until } from "../runs/shim-runs.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cortex-service-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const start = (script: string) =>
  Service.start({ command: ["/bin/sh", "-c", script], env: { HERE: folder }, logFile: join(folder, "logs/s.log") });

const log = () => (existsSync(join(folder, "logs/s.log")) ? readFileSync(join(folder, "logs/s.log"), "utf8") : "");

test("a program's output is in its log, and how it ended is known", async () => {
  const service = await start('echo "in $HERE"; echo oh >&2; exit 3');
  expect(await service.exited).toEqual({ code: 3, signal: null });
  expect(service.isRunning).toBe(false);
  await (await start("echo again")).exited;
  expect(log()).toBe(`in ${folder}\noh\nagain\n`);
});

test("a program is stopped by its signal; one that is deaf to it is killed after the grace", async () => {
  const polite = await start("trap 'exit 5' TERM; echo up; while :; do sleep 0.01; done");
  await until(() => log().includes("up"), "the trap");
  await polite.stop("SIGTERM", 20_000);
  expect(await polite.exited).toEqual({ code: 5, signal: null });
  const deaf = await start("trap '' TERM; echo deaf; while :; do sleep 0.01; done");
  await until(() => log().includes("deaf"), "the trap");
  await deaf.stop("SIGTERM", 100);
  expect(await deaf.exited).toEqual({ code: null, signal: "SIGKILL" });
  await deaf.stop("SIGTERM", 100); // once more does nothing
});

test("a program that isn't there is an error", async () => {
  await expect(
    Service.start({ command: [join(folder, "none")], env: {}, logFile: join(folder, "log") }),
  ).rejects.toThrow("ENOENT");
});

test("a stop takes those along whom the program left in its group", async () => {
  const service = await start("(trap '' TERM; while :; do sleep 0.01; done) & echo $!; exec sleep 60");
  const child = Number(await until(() => log().trim(), "its child"));
  await service.stop("SIGTERM", 100);
  expect(await service.exited).toEqual({ code: null, signal: "SIGTERM" });
  expect(service.isGroupEmpty).toBe(true);
  expect(identifyProcess(child)).toBe(null);
});

test("a program that somebody else started is adopted: its end is noticed, and it can be stopped", async () => {
  const own = await start("echo up; exec sleep 60");
  await until(() => log().includes("up"), "the program");
  const adopted = Service.adopt(own.identity);
  expect(adopted.isRunning).toBe(true);
  await adopted.stop("SIGTERM", 20_000);
  expect(await adopted.exited).toEqual({ code: null, signal: null });
  expect(adopted.isRunning).toBe(false);
  expect(await own.exited).toEqual({ code: null, signal: "SIGTERM" });
});

test("somebody else's program is touched by its identity, and by nothing less", async () => {
  const service = await start("echo up; exec sleep 60");
  await until(() => log().includes("up"), "the program");
  const { identity } = service;
  for (const other of [
    { ...identity, start: `${identity.start}1` },
    { ...identity, boot: "another" },
  ]) {
    const stranger = Service.adopt(other);
    stranger.signal("SIGKILL");
    expect(await stranger.exited).toEqual({ code: null, signal: null });
  }
  expect(isAlive(identity)).toBe(true);
  await service.stop("SIGKILL", 0);
});
