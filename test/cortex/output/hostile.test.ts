/** Agents that mean harm, or go mad: each dies alone, of its own limit, while another run beside it finishes. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { type AgentEvent, isTerminal } from "../../../protocol/runs/event.ts";
import { textField } from "../../../protocol/runs/text-field.ts";
import { CortexSystem, fixtureAgents } from "../../support/cortex-system.ts";
import { filesWith } from "../../support/files/files-with.ts";

// On a busy machine a stop takes a while.
const inline = (code: string) => ({ command: [process.execPath, "-e", code] });

// Each is bounded by itself as well: should its limit fail, the machine that tests it lives on.
const system = await CortexSystem.start({
  settings: {
    max_concurrent: 16,
    default_backend: "scripted",
    limits: { max_processes: 200, max_open_files: 256 },
    backends: {
      ...fixtureAgents("scripted").backends,
      eater: inline(`const all = []; setInterval(() => all.length < 40 && all.push(Buffer.alloc(2 ** 24, 1)), 20)`),
      sharer: inline(`
        const { spawn } = require("node:child_process");
        const eat = "const all = Buffer.alloc(2 ** 27, 1); setTimeout(() => {}, 300000)";
        for (let n = 0; n < 3; n++) spawn(process.execPath, ["-e", eat], { detached: true });
        setTimeout(() => {}, 300000)`),
      bomb: { command: ["sh", "-c", "i=0; while [ $i -lt 400 ]; do sleep 300 & i=$((i + 1)); done; wait"] },
      opener: inline(`
        const { openSync } = require("node:fs");
        for (let n = 0; n < 2000; n++) openSync("/dev/null", "r");
        console.log('{"event":"finish","result":"opened 2000"}')`),
      printer: inline(`
        process.stdin.once("data", (config) => {
          const { readFileSync, readdirSync } = require("node:fs");
          const say = (event) => console.log(JSON.stringify(event));
          const { TOKEN, PIN, LINES } = process.env;
          say({ event: "text", text: TOKEN, [TOKEN]: [1, { deep: TOKEN }], n: Number(PIN) });
          console.log(TOKEN + " is no JSON");
          console.log('{"event":"text","text":"' + [...TOKEN].map((c) => "\\\\u" + c.charCodeAt(0).toString(16).padStart(4, "0")).join("") + '"}');
          for (const letter of "<" + TOKEN + ">") say({ event: "text_delta", text: letter });
          say({ event: "tool_end", call_id: "1", result: config.toString() });
          for (const line of LINES.split("\\n")) console.log(line);
          for (const pid of readdirSync("/proc")) try {
            const environ = readFileSync("/proc/" + pid + "/environ", "utf8");
            if (environ.includes(process.env.CORTEX_RUN)) say({ event: "text", text: environ });
          } catch {}
          console.error("stderr says " + TOKEN);
          say({ event: "finish", result: JSON.stringify(process.env) });
          process.exit(0);
        })`),
      spinner: inline(`const until = Date.now() + 300000; while (Date.now() < until);`),
    },
  },
  env: { OPENAI_API_KEY: "sk-of-cortex", HTTPS_PROXY: "http://user:of-the-bus@proxy.invalid:1" },
});
afterAll(() => system[Symbol.asyncDispose]());

const last = (file: AgentEvent[]) => file.find(isTerminal);

/** Runs it beside one that waits for its end, and then finishes. */
async function dies(backend: string, limits: Record<string, number>): Promise<AgentEvent | undefined> {
  const go = join(system.journal, `after-${backend}`);
  const beside = system.steps([
    { ev: { event: "text", text: "here" } },
    { await: go },
    { ev: { event: "finish", result: "" } },
  ]);
  await system.heard(beside, "text");
  const end = last(await system.settled(system.request({ prompt: "go", backend, ...limits })));
  writeFileSync(go, "");
  expect(last(await system.settled(beside))).toMatchObject({ event: "finish" });
  return end;
}

test.concurrent("an agent that eats memory is killed at its limit", async () => {
  const end = await dies("eater", { max_memory_mb: 200 });
  expect(end).toMatchObject({ event: "error", reason: "budget" });
  expect(end?.["error"]).toMatch(/^used \d+ MiB of memory, the limit max_memory_mb is 200$/);
});

test.concurrent("memory is counted over all processes of a run, whatever session they are in", async () => {
  expect(await dies("sharer", { max_memory_mb: 300 })).toMatchObject({
    reason: "budget",
    error: expect.stringContaining("the limit max_memory_mb is 300"),
  });
});

test.concurrent("a fork bomb is killed at the limit that the settings have, whatever its request says", async () => {
  const id = system.request({ prompt: "go", backend: "bomb", max_processes: 100_000 });
  const file = await system.settled(id);
  expect(file.find(({ event }) => event === "info")?.["message"]).toContain("max_processes is 200, not 100000");
  expect(last(file)).toMatchObject({ event: "error" });
  expect(last(file)?.["error"]).toMatch(/max_processes is 200/);
  const sleepers = () => system.processes().filter(({ command }) => command.startsWith("sleep 300"));
  await system.until(() => sleepers().length === 0, "none of them is left");
  expect(last(system.file(id))).toEqual(last(file));
});

test.concurrent("an agent that opens files without end gets no more than its limit", async () => {
  const end = await dies("opener", {});
  expect(end).toMatchObject({
    event: "error",
    reason: "crash",
    error: expect.stringContaining("max_open_files is 256"),
  });
});

test.concurrent("an agent that spins is stopped when its CPU time is used up", async () => {
  expect(await dies("spinner", { max_cpu_seconds: 1 })).toMatchObject({
    reason: "budget",
    error: expect.stringContaining("the limit max_cpu_seconds is 1"),
  });
});

test.concurrent("an agent that prints all that it is given and all that it finds tells no secret", async () => {
  // Its end is none that an id, a time or a hash could have.
  const secret = 'tok "en\\/é vwxyz';
  const number = "9081726354";
  const id = system.request({
    prompt: `the password is ${secret}`,
    backend: "printer",
    stream: true,
    env: { TOKEN: secret, PIN: number, LINES: "first line of it\nsecond line of it" },
    api_key: "sk-of-the-request",
    save: "printed.md",
    handoff: { prompt: "next", backend: "scripted", env: { TOKEN: "for the child alone" } },
  });
  const file = await system.settled(id);
  const child = String(file.find(({ event }) => event === "handoff")?.["to"]);
  await system.settled(child);
  await system.until(() => system.log.includes("stderr says ***"), "its stderr is in cortex's log");
  expect(file[0]).toMatchObject({ prompt: "the password is ***", api_key: "***", env: { TOKEN: "***" } });
  const places = [
    system.bytes(id),
    system.bytes(child),
    JSON.stringify(system.events),
    system
      .of(id)
      .map((event) => textField(event, "text"))
      .join(""),
    system.log,
    readFileSync(join(system.journal, String(file.find(({ event }) => event === "saved")?.["path"])), "utf8"),
  ];
  const told = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    "vwxyz",
    number,
    "second line",
    "for the child",
    "sk-of-the",
  ];
  told.push("of-the-bus", "sk-of-cortex", 'mcp_token":"');
  for (const place of places) for (const text of told) expect(place).not.toContain(text);
});

test.concurrent("a request with secrets is erased from the bus once its run has ended, and stays known", async () => {
  const request = { prompt: "hello", env: { TOKEN: "once in the store" } };
  const id = system.request(request);
  await system.closed(id);
  const store = join(system.journal, ".state/jetstream");
  expect(filesWith(store, "once in the store")).toEqual([]);
  expect(
    existsSync(join(system.journal, ".state/secrets")) &&
      readdirSync(join(system.journal, ".state/secrets")).some((name) => name.startsWith(id)),
  ).toBe(false);
  const before = system.bytes(id);
  expect(await system.answerTo({ ...request, ts: Number(id) })).toMatchObject({ agent_id: id });
  expect(await system.answerTo({ ...request, prompt: "another", ts: Number(id) })).toMatchObject({
    reason: "duplicate_id",
  });
  await system.until(() => filesWith(store, "once in the store").length === 0, "the copies are erased");
  expect(system.bytes(id)).toBe(before);
});
