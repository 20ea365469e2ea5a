import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readBusAccess, writeEndpoints } from "../../journal/access/endpoints.ts";
import { findProgram } from "../../proc/os/find-program.ts";
import type { AgentEvent } from "../../protocol/runs/event.ts";
import { CortexSystem } from "../support/cortex-system.ts";

const program = fileURLToPath(new URL("../../examples/listen.py", import.meta.url));
const python = findProgram("python3");
if (python === null) process.stderr.write("SKIPPED: examples/listen.py needs python3, and there is none\n");

const script = `read -r config
case $config in *'"prompt":"fail"'*) echo '{"event":"error","error":"as you wish"}'; exit 1 ;; esac
echo '{"event":"start"}'
echo '{"event":"text","text":"ü"}'
echo '{"event":"error","error":"a hiccup","terminal":false}'
echo '{"event":"finish","result":"done"}'`;

describe.skipIf(python === null)("listen.py", () => {
  let system: CortexSystem;
  beforeAll(async () => {
    system = await CortexSystem.start({
      settings: { default_backend: "script", backends: { script: { command: ["/bin/sh", "-c", script] } } },
    });
    const access = readBusAccess(system.journal);
    await writeEndpoints(system.journal, {
      nats_url: access?.url ?? "",
      nats_user: "client",
      nats_token: access?.passwords["client"] ?? "",
      pid: process.pid,
    });
  }, 90_000);
  afterAll(() => system[Symbol.asyncDispose]());

  test("the example starts a run and prints its events until its terminal event", async () => {
    const { code, events } = await listen(system.journal, "hello");
    expect(code).toBe(0);
    expect(events.map(({ event }) => event)).toEqual(["request", "start", "text", "error", "finish"]);
    expect(events).toEqual(await system.ended(String(events[0]?.agent_id)));
  });

  test("exits with 1 when the run failed", async () => {
    const { code, events } = await listen(system.journal, "fail");
    expect(code).toBe(1);
    expect(events.at(-1)).toMatchObject({ event: "error", error: "as you wish" });
  });

  test("says why a request was refused", async () => {
    const { code, events, error } = await listen(system.journal, " ");
    expect([code, events]).toEqual([1, []]);
    expect(error).toMatch(/^error: prompt/);
  });

  test("watches what others start", async () => {
    const watching = start(system.journal, "--watch");
    let text = "";
    watching.stdout?.on("data", (data: Buffer) => (text += data.toString()));
    // Requests until one is heard from its first line: before that it may not listen yet.
    const id = await system.until(async () => {
      const asked = system.request({ prompt: "hello" });
      await system.ended(asked);
      return text.includes(`"event":"request","ts":${asked}`) && asked;
    }, "a run is watched");
    const heard = () => eventsOf(text).filter(({ agent_id }) => agent_id === id);
    await system.until(() => heard().at(-1)?.event === "finish", "all of its events are heard");
    expect(heard()).toEqual(system.file(id));
    watching.kill("SIGINT");
    expect(await once(watching, "close")).toEqual([130, null]);
  });

  test("says what to do where nothing runs", async () => {
    const { code, error } = await listen("/no/such/journal", "hello");
    expect(code).toBe(1);
    expect(error).toContain("cortex up");
  });
});

function start(journal: string, argument: string): ChildProcess {
  return spawn(python ?? "", [program, argument], { env: { JOURNAL_PATH: journal, PYTHONDONTWRITEBYTECODE: "1" } });
}

async function listen(journal: string, argument: string) {
  const child = start(journal, argument);
  let [output, error] = ["", ""];
  child.stdout?.on("data", (data: Buffer) => (output += data.toString()));
  child.stderr?.on("data", (data: Buffer) => (error += data.toString()));
  const [code] = await once(child, "close");
  return { code: code as number, events: eventsOf(output), error };
}

const eventsOf = (text: string) =>
  text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as AgentEvent);
