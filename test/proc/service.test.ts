import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isAlive } from "../../proc/identity.ts";
import { Service, stopByIdentity } from "../../proc/service.ts";
import { until } from "./shim-runs.ts";

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
  await polite.stop("SIGTERM", 10_000);
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

test("somebody else's program is stopped by its identity, and by nothing less", async () => {
  const service = await start("trap '' TERM; echo up; while :; do sleep 0.01; done");
  await until(() => log().includes("up"), "the trap");
  const { identity } = service;
  await stopByIdentity({ ...identity, start: `${identity.start}1` }, "SIGKILL", 0);
  await stopByIdentity({ ...identity, boot: "another" }, "SIGKILL", 0);
  expect(isAlive(identity)).toBe(true);
  await stopByIdentity(identity, "SIGTERM", 100);
  expect(isAlive(identity)).toBe(false);
  expect(await service.exited).toEqual({ code: null, signal: "SIGKILL" });
});
