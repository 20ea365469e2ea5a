import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { logFile } from "../../../../journal/logs/program-logs.ts";
import { temporaryJournal } from "../../../journal/temporary-journal.ts";
import { runCortex, runCortexJson } from "../../run-command.ts";
import { patienceMs } from "../../../support/patience.ts";

const bin = fileURLToPath(new URL("../../../../bin/cortex.js", import.meta.url));

let journal: ReturnType<typeof temporaryJournal>;
beforeEach(() => {
  journal = temporaryJournal();
  mkdirSync(dirname(logFile(journal.path, "cortex")), { recursive: true });
});
afterEach(() => journal[Symbol.dispose]());

const line = (time: number, msg: string) => `${JSON.stringify({ level: 30, time, msg })}\n`;
const write = (program: string, text: string) => writeFileSync(logFile(journal.path, program), text);

test("all programs come by time in plain text, one alone when it is named", async () => {
  write("cortex", line(1000, "one") + line(3000, "three"));
  write("nats-server", line(2000, "two"));
  const all = await runCortex(journal.path, ["logs"], { CORTEX_TZ: "UTC" });
  expect(all).toEqual({
    code: 0,
    stderr: "",
    stdout: [
      "1970-01-01 00:00:01.000 cortex      info  one",
      "1970-01-01 00:00:02.000 nats-server info  two",
      "1970-01-01 00:00:03.000 cortex      info  three",
    ].join("\n"),
  });
  const one = await runCortex(journal.path, ["logs", "-n", "1", "cortex"], { CORTEX_TZ: "UTC" });
  expect(one.stdout).toBe("1970-01-01 00:00:03.000 cortex info  three");
});

test("the lines of --json are those of the files, and a foreign one becomes JSON", async () => {
  write("cortex", `${line(1000, "one")}Aborted (core dumped)\n`);
  const { stdout } = await runCortex(journal.path, ["logs", "--json"]);
  expect(stdout.split("\n").map((text) => JSON.parse(text))).toEqual([
    { level: 30, time: 1000, msg: "one" },
    { time: 1000, name: "cortex", foreign: true, msg: "Aborted (core dumped)" },
  ]);
});

test("an unknown program is refused with the known ones, as is a count that is none", async () => {
  const { code, document } = await runCortexJson(journal.path, ["logs", "cortx"]);
  expect(code).toBe(2);
  expect(document["error"]).toEqual({
    type: "usage",
    message:
      'unknown program "cortx": known programs are supervisor, nats-server, mcp-tools, gateway, cortex, agents, schedule, telemetry, channel-web, channel-webhook, channel-telegram, channel-slack, channel-mail, channel-sms, channel-signal',
    hint: "perhaps: cortex logs cortex",
  });
  expect((await runCortex(journal.path, ["logs", "-n", "many"])).code).toBe(2);
  expect((await runCortex(journal.path, ["logs", "../cortex"])).code).toBe(2);
});

test("logs says where nothing was logged yet, which is not an error", async () => {
  expect(await runCortex(journal.path, ["logs"])).toEqual({
    code: 0,
    stdout: "",
    stderr: `nothing was logged yet in ${journal.path}`,
  });
});

test("-f goes on across a rotation until Ctrl-C", async () => {
  const path = logFile(journal.path, "cortex");
  write("cortex", line(1000, "one") + line(2000, "two"));
  const env = { PATH: process.env["PATH"], HOME: journal.path, JOURNAL_PATH: journal.path };
  const child = spawn(process.execPath, [bin, "logs", "-f", "-n", "1", "--json"], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  let output = "";
  child.stdout.on("data", (data: Buffer) => (output += data.toString()));
  await vi.waitUntil(() => output === line(2000, "two"), { timeout: patienceMs });
  appendFileSync(path, line(3000, "three"));
  renameSync(path, `${path}.1`);
  write("cortex", line(4000, "four"));
  await vi.waitUntil(() => output.endsWith(line(4000, "four")), { timeout: patienceMs });
  expect(output).toBe(line(2000, "two") + line(3000, "three") + line(4000, "four"));
  child.kill("SIGINT");
  expect(await exited).toEqual([0, null]);
});
