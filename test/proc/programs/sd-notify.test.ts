import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { findProgram } from "../../../proc/os/find-program.ts";
import { ServiceManager } from "../../../proc/programs/sd-notify.ts";
import { until } from "../runs/shim-runs.ts";

/** A socket of datagrams, which Node has none of: each datagram becomes a line. Perl is part of every Debian. */
const listener = `
use strict; use IO::Socket::UNIX; use Socket; $| = 1;
my $socket = IO::Socket::UNIX->new(Type => SOCK_DGRAM, Local => $ARGV[0]) or die $!;
print "listening\\n";
while (defined $socket->recv(my $message, 4096)) { print join("|", split /\\n/, $message), "\\n"; }
`;

const missing = ["systemd-notify", "perl"].filter((name) => findProgram(name, ["/usr/bin"]) === null);
const told = test.skipIf(missing.length > 0);
if (missing.length > 0) console.warn(`telling systemd is NOT tested: there is no ${missing.join(" and no ")}`);

let folder: string;
let socket: string;
let child: ChildProcess;
let heard: string[];
const problems: Error[] = [];
beforeEach(async () => {
  problems.length = 0;
  heard = [];
  folder = mkdtempSync(join(tmpdir(), "sd-notify-"));
  socket = join(folder, "socket");
  if (missing.length > 0) return;
  child = spawn("perl", ["-e", listener, socket], { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout?.on("data", (data: Buffer) => {
    output += data.toString();
    heard = output.split("\n").slice(1, -1);
  });
  await until(() => output !== "", "the socket is there");
});
afterEach(async () => {
  vi.useRealTimers();
  if (missing.length === 0) {
    child.kill();
    await once(child, "exit");
  }
  rmSync(folder, { recursive: true });
});

/** systemd-notify ends what it says with a barrier, and waits for it. */
const words = () => heard.filter((line) => line !== "BARRIER=1");
const take = (env: NodeJS.ProcessEnv) => ServiceManager.fromEnvironment(env, (error) => problems.push(error));

told("systemd hears that the service is ready, and how long stopping may take", async () => {
  const manager = take({ NOTIFY_SOCKET: socket });
  await manager.notifyReady("3 programs");
  await manager.notifyStopping(50_000);
  await until(() => words().length === 2, "both were heard");
  expect(words()).toEqual(["READY=1|STATUS=3 programs", "STOPPING=1|EXTEND_TIMEOUT_USEC=50000000"]);
  expect(problems).toEqual([]);
});

told("the watchdog hears that all is well until it isn't, and hears it again", async () => {
  let isHealthy = true;
  const manager = take({ NOTIFY_SOCKET: socket, WATCHDOG_USEC: "60000", WATCHDOG_PID: String(process.pid) });
  using _watchdog = manager.startWatchdog(() => isHealthy);
  await until(() => words().length > 2, "all is well");
  isHealthy = false;
  await until(() => problems.length > 2, "it isn't");
  expect(problems[0]?.message).toContain("not healthy");
  const before = words().length;
  const silent = problems.length;
  await until(() => problems.length > silent + 2, "it still isn't");
  expect(words()).toHaveLength(before);
  isHealthy = true;
  await until(() => words().length > before, "it is again");
  expect(new Set(words())).toEqual(new Set(["WATCHDOG=1"]));
});

told("nobody who is asked for health and doesn't answer keeps the watchdog quiet", async () => {
  let asked = 0;
  const manager = take({ NOTIFY_SOCKET: socket, WATCHDOG_USEC: "30000" });
  using _watchdog = manager.startWatchdog(() => {
    asked++;
    return new Promise(() => {});
  });
  await until(() => asked > 0, "somebody was asked");
  await manager.notifyReady("x");
  await manager.notifyReady("y");
  expect(asked).toBe(1);
  expect(words().filter((line) => line.startsWith("WATCHDOG"))).toEqual([]);
});

test("systemd's variables for this process are not left to the processes that it starts", () => {
  const env = { NOTIFY_SOCKET: "/x", WATCHDOG_USEC: "30000000", WATCHDOG_PID: "1", PATH: "/bin" };
  expect(take(env).isThere).toBe(true);
  expect(env).toEqual({ PATH: "/bin" });
});

test("a process without systemd sends nothing, and isn't kept alive", async () => {
  const manager = take({});
  expect(manager.isThere).toBe(false);
  await manager.notifyReady("x");
  vi.useFakeTimers();
  using _watchdog = manager.startWatchdog(() => true);
  expect(vi.getTimerCount()).toBe(0);
  expect(problems).toEqual([]);
});

test("a watchdog of another process is not ours", () => {
  vi.useFakeTimers();
  using _other = take({ NOTIFY_SOCKET: "/x", WATCHDOG_USEC: "1000", WATCHDOG_PID: "1" }).startWatchdog(() => true);
  expect(vi.getTimerCount()).toBe(0);
  using _own = take({ NOTIFY_SOCKET: "/x", WATCHDOG_USEC: "1000" }).startWatchdog(() => true);
  expect(vi.getTimerCount()).toBe(1);
});

told("a systemd that can't be told is a problem that is said, and stops nothing", async () => {
  writeFileSync(join(folder, "none"), "");
  await take({ NOTIFY_SOCKET: join(folder, "none") }).notifyReady("x");
  expect(problems[0]?.message).toContain("systemd couldn't be told READY=1");
});
