/** A child's lines on their whole way, stamped and validated into the file and onto the bus, beside the least that reads them. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readRun } from "../../test/support/read-run.ts";
import type { AgentEvent } from "../../protocol/runs/event.ts";
import type { CortexSystem } from "../../test/support/cortex-system.ts";
import { askFor, settled } from "../harness/ask.ts";
import { bareScript } from "../harness/made/bare-process.ts";
import type { Benchmark, Row } from "../harness/figures/benchmark.ts";
import { residentOf } from "../harness/processes.ts";
import { percentile } from "../harness/figures/spread.ts";
import { startSystem } from "../harness/system.ts";

const pauseMs = 20;
const sampleEveryMs = 20;

export const measure: Benchmark = async ({ rounds, isQuick }) => {
  const lines = isQuick ? 20_000 : 200_000;
  const lone = isQuick ? 50 : 200;
  const writer = [process.execPath, bareScript("lines.mjs"), String(lines)];
  const backends = {
    writer: { command: writer },
    lone: { command: [process.execPath, bareScript("lone-events.mjs"), String(lone), String(pauseMs)] },
  };
  await using system = await startSystem({ settings: { backends, max_concurrent: 1 } });
  const rates = { ours: [] as number[], bare: [] as number[] };
  const growth: number[] = [];
  await throughCortex(system, lines);
  for (let round = 0; round < rounds; round++) {
    rates.bare.push(lines / (await readAlone(writer)));
    rates.ours.push(lines / (await throughCortex(system, lines)).seconds);
  }
  await using _listener = await listenDeaf(system.journal);
  for (let round = 0; round < rounds; round++) growth.push((await throughCortex(system, lines)).grownMiB);
  const delays: number[][] = [];
  for (let round = 0; round < rounds; round++) delays.push(await delaysOf(system));

  const alone = (what: string, share: number): Row => ({
    what: `an event alone reaches a listener, ${what}`,
    unit: "ms",
    ours: delays.map((round) => percentile(round, share)),
    target: { atMost: 3 },
  });
  return [
    {
      what: "event pipe: lines of 200 bytes a second",
      unit: "lines/s",
      ours: rates.ours,
      comparedWith: { what: "split, parse, append alone", figures: rates.bare },
      target: { atLeast: 0.35 },
    },
    {
      what: "event pipe: cortex grows meanwhile, beside a listener that doesn't read",
      unit: "MiB",
      ours: growth,
      target: { atMost: 64 },
    },
    alone("median", 0.5),
    alone("99 of 100", 0.99),
  ];
};

/** From the word that lets it write to the `finish` that is heard. */
async function throughCortex(system: CortexSystem, lines: number): Promise<{ seconds: number; grownMiB: number }> {
  const starts = firstEvent(system, "start");
  const { agentId, ended } = askFor(system.bus, { prompt: "write", backend: "writer", disable_mcp: true });
  await starts;
  const before = residentOf(system.pid);
  let most = before;
  const sampling = setInterval(() => {
    most = Math.max(most, residentOf(system.pid));
  }, sampleEveryMs);
  const started = performance.now();
  system.input(agentId, "go");
  const seconds = ((await ended) - started) / 1000;
  clearInterval(sampling);
  await settled(system.journal, agentId);
  const written = readRun(system.journal, agentId)?.events.filter(({ event }) => event === "text").length;
  if (written !== lines) throw new Error(`${written} of ${lines} lines are in the file`);
  return { seconds, grownMiB: most - before };
}

async function firstEvent({ bus }: CortexSystem, name: string): Promise<void> {
  await new Promise<void>((resolve) => {
    bus.connection.subscribe(`cortex.event.*.${name}`, { max: 1, callback: () => resolve() });
  });
}

/** The same child, by a reader that does the least: splits, parses, appends. */
async function readAlone([program = "", ...args]: string[]): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "cortex-bench-"));
  const file = openSync(join(folder, "lines"), "ax");
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  try {
    child.stdin.write("{}\n");
    await once(child.stdout, "readable");
    const started = performance.now();
    child.stdin.write("go\n");
    let rest: Buffer = Buffer.alloc(0);
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      const whole = bytes.lastIndexOf(10) + 1;
      for (let from = 0; from < whole; ) {
        const to = bytes.indexOf(10, from);
        JSON.parse(bytes.toString("utf8", from, to));
        from = to + 1;
      }
      writeSync(file, bytes, 0, whole);
      rest = bytes.subarray(whole);
    }
    return (performance.now() - started) / 1000;
  } finally {
    child.kill("SIGKILL");
    closeSync(file);
    rmSync(folder, { recursive: true });
  }
}

/** A client of the bus that has stopped reading. */
async function listenDeaf(journal: string): Promise<AsyncDisposable> {
  const program = fileURLToPath(new URL("../bare/deaf-listener.ts", import.meta.url));
  const child = spawn(process.execPath, [program, journal], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  child.kill("SIGSTOP");
  return {
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, "close");
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** From the moment before the agent says an event to that in which a listener has it. */
async function delaysOf(system: CortexSystem): Promise<number[]> {
  const delays: number[] = [];
  const listening = system.bus.connection.subscribe("cortex.event.*.text", {
    callback: (_, message) => {
      const now = process.hrtime.bigint();
      const { text } = message.json<AgentEvent>();
      delays.push(Number(now - BigInt(String(text))) / 1e6);
    },
  });
  const { agentId, ended } = askFor(system.bus, { prompt: "say", backend: "lone", disable_mcp: true });
  await ended;
  listening.unsubscribe();
  await settled(system.journal, agentId);
  return delays;
}
