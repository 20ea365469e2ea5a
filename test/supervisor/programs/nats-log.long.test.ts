import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { logFile, natsTextFile } from "../../../journal/logs/program-logs.ts";
import { logFiles } from "../../../journal/logs/program-logs-writer.ts";
import { findNatsServer } from "../../../proc/os/find-program.ts";
import { NatsLog, natsLogArguments, natsLogEnvironment, parseNatsLine } from "../../../supervisor/programs/nats-log.ts";
import { temporaryJournal } from "../../journal/temporary-journal.ts";
import { patienceMs } from "../../support/patience.ts";

const taker = fileURLToPath(new URL("../../fixtures/logs/taker.ts", import.meta.url));

let journal: ReturnType<typeof temporaryJournal>;
const children: ChildProcess[] = [];
beforeEach(() => {
  journal = temporaryJournal();
});
afterEach(async () => {
  for (const child of children.splice(0)) await end(child, "SIGKILL");
  journal[Symbol.dispose]();
});

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  await once(child, "exit");
}

/** A real nats-server that logs as the supervisor wants it to, in files of 2000 bytes. */
async function startNats(args = natsLogArguments(journal.path)) {
  const limited = args.map((argument) => (/^\d+$/.test(argument) ? "2000" : argument));
  const child = spawn(findNatsServer() ?? "", ["-a", "127.0.0.1", "-p", "-1", ...limited], {
    env: { ...natsLogEnvironment },
    stdio: ["ignore", "ignore", "pipe"],
  });
  children.push(child);
  let stderr = "";
  child.stderr.on("data", (data: Buffer) => (stderr += data.toString()));
  const said = () => `${text()}\n${stderr}`;
  await vi.waitUntil(() => said().includes("Server is ready"), { timeout: patienceMs, interval: 10 });
  const port = Number(/for client connections on 127\.0\.0\.1:(\d+)/.exec(said())?.[1]);
  return { child, port, stderr: () => stderr };
}

/** Reads what nats-server wrote and nobody has removed yet, and what was taken. */
const text = () =>
  readdirSync(dirname(natsTextFile(journal.path)))
    .filter((name) => name.startsWith("nats-server.text") || name.startsWith("nats-server.log"))
    .map((name) => join(dirname(natsTextFile(journal.path)), name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, "utf8"))
    .join("");

/** A client that doesn't speak the protocol: nats-server logs what it said. */
async function say(port: number, word: string): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  const closed = new Promise((resolve) => socket.once("close", resolve));
  await once(socket, "data");
  socket.on("error", () => {});
  socket.write(`${word}\r\n`);
  await closed;
}

const records = () =>
  logFiles(logFile(journal.path, "nats-server"))
    .toReversed()
    .flatMap((file) => (existsSync(file) ? readFileSync(file, "utf8").split("\n") : []))
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const count = (word: string) => records().filter(({ msg }) => String(msg).includes(`"${word}`)).length;

test.each([
  [
    "[77] 2026/10/09 12:00:00.123456 [INF] Server is ready",
    { level: 30, time: Date.UTC(2026, 9, 9, 12, 0, 0, 123), pid: 77, msg: "Server is ready" },
  ],
  ["[1] 2026/01/02 00:00:00.000001 [ERR] [x] y", { level: 50, time: Date.UTC(2026, 0, 2), pid: 1, msg: "[x] y" }],
  ["[1] 2026/01/02 00:00:00.000001 [WRN]", { level: 40, time: Date.UTC(2026, 0, 2), pid: 1, msg: "" }],
  ["[1] 2026/13/42 00:00:00.000001 [INF] x", { level: 30, time: 7, msg: "[1] 2026/13/42 00:00:00.000001 [INF] x" }],
  ["goroutine 1 [running]:", { level: 30, time: 7, msg: "goroutine 1 [running]:" }],
])("the line %j is understood", (line, taken) => {
  expect(parseNatsLine(line, 7)).toEqual(taken);
});

test("a real nats-server's output becomes JSON lines with its level, its pid and the right time", async () => {
  const before = Date.now() - 1000;
  using log = new NatsLog(journal.path);
  const { child } = await startNats();
  await end(child, "SIGINT");
  log[Symbol.dispose]();
  const ready = records().find(({ msg }) => msg === "Server is ready");
  expect(ready).toMatchObject({ level: 30, pid: child.pid, name: "nats-server" });
  expect(Math.abs(Number(ready?.["time"]) - before)).toBeLessThan(300_000); // an hour's zone would be off by more
  expect(records().at(-1)).toMatchObject({ msg: "Server Exiting.." });
});

test("rotated by nats-server and taken by supervisors that are killed with -9, each line is there once", async () => {
  const { child, port } = await startNats();
  const startTaker = () => spawn(process.execPath, [taker, journal.path], { stdio: ["ignore", "pipe", "inherit"] });
  let word = 0;
  const sayMore = async (more: number) => {
    for (let said = 0; said < more; said++) await say(port, `word-${++word}-`);
  };
  for (let life = 0; life < 3; life++) {
    const supervisor = startTaker();
    children.push(supervisor);
    await once(supervisor.stdout, "data");
    await Promise.all([sayMore(40), delay(220 + Math.random() * 100).then(() => end(supervisor, "SIGKILL"))]);
  }
  await end(child, "SIGINT");
  const last = startTaker();
  await once(last.stdout, "data");
  await end(last, "SIGTERM");
  expect(Array.from({ length: word }, (_, at) => count(`word-${at + 1}-`))).toEqual(Array(word).fill(1));
  const left = readdirSync(dirname(natsTextFile(journal.path))).filter((name) => name.startsWith("nats-server.text."));
  expect(left).toEqual([]);
  expect(statSync(natsTextFile(journal.path)).size).toBeLessThan(4000);
});

test("nats-server starts all the same where its text can't be written", async () => {
  mkdirSync(natsTextFile(journal.path), { recursive: true }); // a folder where the file should be
  const { stderr } = await startNats();
  expect(stderr()).toContain("Server is ready");
});
