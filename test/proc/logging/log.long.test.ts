import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { logFile } from "../../../journal/logs/program-logs.ts";
import { beginCapture, takeCapture } from "../../../journal/logs/program-logs-intake.ts";
import { temporaryJournal } from "../../journal/temporary-journal.ts";

const program = fileURLToPath(new URL("../../fixtures/logs/program.ts", import.meta.url));

let journal: ReturnType<typeof temporaryJournal>;
beforeEach(() => {
  journal = temporaryJournal();
});
afterEach(() => journal[Symbol.dispose]());

const records = () =>
  readFileSync(logFile(journal.path, "cortex"), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const messages = () => records().map(({ msg }) => String(msg));

/** Runs it as the supervisor does: what it prints goes to its stray file, which is taken when it has ended. */
async function supervised(how: string): Promise<number | null> {
  const stray = openSync(beginCapture(journal.path, "cortex"), "a");
  const child = spawn(process.execPath, [program, journal.path, how], { stdio: ["ignore", stray, stray] });
  closeSync(stray);
  const [code] = (await once(child, "exit")) as [number | null];
  takeCapture(journal.path, "cortex");
  return code;
}

/** Runs it as somebody at a terminal does. */
async function byHand(how: string, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [program, journal.path, how], {
    env: { PATH: process.env["PATH"], ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  child.stderr.on("data", (data: Buffer) => (stderr += data.toString()));
  await once(child, "close");
  return stderr.split("\n").filter((line) => line !== "");
}

test("started by hand a program logs JSON lines to stderr, and nothing into the journal", async () => {
  const lines = await byHand("");
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ level: 30, name: "cortex", msg: "ready" }]);
  expect(existsSync(logFile(journal.path, "cortex"))).toBe(false);
});

test("a level that there isn't is said, and no reason not to start", async () => {
  const lines = await byHand("", { CORTEX_LOG_LEVEL: "verbose" });
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { level: 40, CORTEX_LOG_LEVEL: "verbose" },
    { msg: "ready" },
  ]);
});

test("supervised, what libraries print and Node warns of are lines of the program's own log", async () => {
  await supervised("prints");
  expect(messages()).toEqual(["ready", "first", "second", "third €", "a warning of Node", "rest"]);
  expect(records()[4]).toMatchObject({ level: 40, err: { message: "be careful" } });
});

test("the trace of an exception that nobody caught ends in the log", async () => {
  expect(await supervised("throws")).toBe(1);
  expect(messages().join("\n")).toMatch(/ready\n[^]*Error: unforeseen\n\s+at /);
  expect(records().at(-1)).toMatchObject({ level: 50, name: "cortex" });
});

test("the last words of a program that the system aborts end in the log", async () => {
  expect(await supervised("aborts")).toBe(null);
  expect(messages()[0]).toBe("ready");
  expect(messages().length).toBeGreaterThan(1);
});

test("a reader of stderr that goes away stops no program", async () => {
  const child = spawn(process.execPath, [program, journal.path, "talks"], { stdio: ["pipe", "ignore", "pipe"] });
  const exited = once(child, "exit");
  await once(child.stderr, "data");
  child.stderr.destroy();
  await once(child.stderr, "close");
  child.stdin.end();
  expect(await exited).toEqual([7, null]);
});
