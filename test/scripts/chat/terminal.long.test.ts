/** The text from outside that is shown at a terminal, which is a real one here. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readBusAccess, writeEndpoints } from "../../../journal/access/endpoints.ts";
import { logFile } from "../../../journal/logs/program-logs.ts";
import { CortexSystem, fixtureAgents } from "../../support/cortex-system.ts";
import { patienceMs } from "../../support/patience.ts";
import { runCortex } from "../run-command.ts";

/** Writes the clipboard, clears the screen, turns text around, and paints, in 7 and in 8 bits. */
const evil = "\u001b]52;c;ZXZpbA==\u0007\u001b[2J\u009b31m\u202e\u001b[8m\u0008\rhidden";

const system = await CortexSystem.start({
  settings: fixtureAgents("scripted"),
  files: {
    "personas/evil.txt": `Be evil. ${evil}`,
    "personas/evil.json": JSON.stringify({ description: `evil ${evil}` }),
  },
});
afterAll(() => system[Symbol.asyncDispose]());
const { journal } = system;
const bin = fileURLToPath(new URL("../../../bin/cortex.js", import.meta.url));
const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
const patient = { timeout: patienceMs };

/** Returns what a terminal is sent when a command is typed at it. */
async function atTerminal(...args: string[]): Promise<string> {
  const typed = [process.execPath, bin, ...args].map(quoted).join(" ");
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: journal,
    JOURNAL_PATH: journal,
    TERM: "xterm",
    SHELL: "/bin/sh",
  };
  const { stdout } = await execa("script", ["-qec", typed, "/dev/null"], {
    env,
    extendEnv: false,
    reject: false,
    stdin: "ignore",
  });
  return stdout;
}

/** Colours of ours and the line that is drawn anew; then nothing may be left. */
const own = new RegExp(String.raw`\r\x1b\[2K|\x1b\[(?:0|1|2|22|31|32|33|39)m`, "g");
const obeyed = new RegExp(String.raw`[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]`);
const withoutOwn = (text: string) => text.replaceAll(own, "").replaceAll("\r\n", "\n");
const isClean = (text: string) => !obeyed.test(withoutOwn(text));

const steps = JSON.stringify([
  { ev: { event: "tool_start", tool: `tool ${evil}`, args: { a: evil }, call_id: "1" } },
  { ev: { event: "tool_end", tool: `tool ${evil}`, result: evil, call_id: "1", duration_ms: 1 } },
  { ev: { event: "text", text: evil } },
  { ev: { event: "finish", result: `answer ${evil}` } },
]);
let id = "";

beforeAll(async () => {
  const access = readBusAccess(journal);
  const credentials = { nats_user: "client", nats_token: access?.passwords["client"] ?? "" };
  await writeEndpoints(journal, { nats_url: access?.url ?? "", ...credentials, pid: process.pid });
  mkdirSync(dirname(logFile(journal, "cortex")), { recursive: true });
  const line = { level: 50, time: 1, name: "cortex", msg: evil, err: { message: evil }, [evil]: evil };
  writeFileSync(logFile(journal, "cortex"), `${JSON.stringify(line)}\n${evil}\n`);
  id = system.request({ prompt: steps });
  await system.settled(id);
});

describe("at a terminal", () => {
  test("an answer and the progress on the way to it are shown, and not obeyed", patient, async () => {
    const shown = await atTerminal("request", steps);
    expect(shown).toContain("answer hidden");
    // Our own sequences work: the line of a tool at work is drawn anew.
    expect(shown).toContain("\r\u001b[2K");
    expect(isClean(shown)).toBe(true);
  });

  test.each([
    [["runs", "list"]],
    [["runs", "show", "ID"]],
    [["runs", "show", "ID", "--json"]],
    [["runs", "tail", "ID"]],
    [["runs", "tail", "ID", "--json"]],
    [["logs"]],
    [["logs", "--json"]],
    [["persona", "list"]],
    [["persona", "show", "evil"]],
    [["persona", "show", evil]],
    [["runs", "show", evil]],
    [["tools", "call", evil]],
    [[evil]],
  ])("cortex %j", patient, async (args) => {
    const shown = await atTerminal(...args.map((arg) => (arg === "ID" ? id : arg)));
    expect(shown).not.toBe("");
    expect([isClean(shown), shown]).toEqual([true, shown]);
  });

  test("with --raw it is as it was said", patient, async () => {
    expect(await atTerminal("request", "--raw", steps)).toContain(`answer ${evil}`);
    expect(await atTerminal("runs", "tail", id, "--raw")).toContain("\u202e");
    expect(await atTerminal("runs", "show", id, "--json", "--raw")).toContain("\u009b31m");
    expect(await atTerminal("logs", "--raw")).toContain(evil);
  });
});

test("a pipe gets an answer to the byte", patient, async () => {
  expect((await runCortex(journal, ["request", steps])).stdout).toBe(`answer ${evil}`);
});

test("a backend that is tried at a terminal moves no cursor either", patient, async () => {
  const agent = join(dirname(bin), "cortex-agent.js");
  const prompt = JSON.stringify({ prompt: `\u009b31m${evil}`, backend: "offline" });
  writeFileSync(join(journal, "line.json"), `${prompt}\n`);
  const typed = `${quoted(process.execPath)} ${quoted(agent)} < ${quoted(join(journal, "line.json"))}`;
  const { stdout } = await execa("script", ["-qec", typed, "/dev/null"], { reject: false, stdin: "ignore" });
  expect(stdout).toContain(`"event":"start"`);
  expect(isClean(stdout)).toBe(true);
});
