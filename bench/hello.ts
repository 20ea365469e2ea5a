/** What a run costs beside its backend alone: wall time, CPU, memory. Interleaved; prints medians with their spread, and judges nothing. */
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { runtime } from "../journal/paths.ts";
import { runFolder } from "../journal/run-folder.ts";
import { isTerminal } from "../protocol/event.ts";
import { CortexSystem } from "../test/support/cortex-system.ts";
import { CpuMeter, memoryOf, peakOf, treeOf } from "./processes.ts";
import { spread } from "./spread.ts";

const rounds = Math.max(9, Number(process.env["ROUNDS"] ?? 15));

/** Reads its configuration and answers at once; with `hold` in it, after one more line. */
const sh = `read -r config; echo '{"event":"start"}'
case $config in *'"prompt":"hold"'*) read -r more ;; esac
echo '{"event":"finish","result":"hello"}'`;
const js = `process.stdin.once("data", (config) => {
  console.log('{"event":"start"}');
  const finish = () => { console.log('{"event":"finish","result":"hello"}'); process.exit(0); };
  if (config.includes('"prompt":"hold"')) process.stdin.once("data", finish); else finish();
})`;
const backends: Record<string, { command: string[] }> = {
  sh: { command: ["/bin/sh", "-c", sh] },
  node: { command: [process.execPath, "-e", js] },
};

await using system = await CortexSystem.start({ settings: { backends } });
const natsPid = Number(readFileSync(runtime(system.journal, "nats.pid"), "utf8"));
using meter = CpuMeter.over("cortex", system.pid, natsPid);
using bareMeter = CpuMeter.over("bare");
if (!meter || !bareMeter) process.stdout.write("no control group (cgroup v2, root): CPU isn't counted\n");

for (const [name, { command }] of Object.entries(backends)) {
  const walls: Pair[] = [];
  const cpus: Pair[] = [];
  await bare(command);
  await through(name);
  for (let round = 0; round < rounds; round++) {
    walls.push({ bare: await bare(command), cortex: await through(name) });
    if (meter && bareMeter) cpus.push(await cpuPair(name, command, meter, bareMeter));
  }
  process.stdout.write(`\nbackend ${name}, ${rounds} rounds\n`);
  print("wall ms", walls);
  if (cpus.length > 0) print("CPU ms", cpus);
  const memory = { bare: await memoryBare(command), cortex: await memoryThrough(name) };
  print("PSS MiB", [memory]);
}
process.stdout.write(
  `\nstanding: cortex ${memoryOf([system.pid]).toFixed(1)} MiB PSS, at most ${peakOf(system.pid).toFixed(1)} resident; ` +
    `nats-server ${memoryOf([natsPid]).toFixed(1)} MiB PSS, at most ${peakOf(natsPid).toFixed(1)} resident\n`,
);

type Pair = { bare: number; cortex: number };

/** From the start of the process to its end. */
async function bare(command: string[], line = '{"prompt":"hello"}'): Promise<number> {
  const started = performance.now();
  const [program = "", ...args] = command;
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(`${line}\n`);
  child.stdout.resume();
  await new Promise((resolve) => child.once("close", resolve));
  return performance.now() - started;
}

/** From the request to the `finish` that is heard. Waits until nothing of the run is left. */
async function through(backend: string): Promise<number> {
  const started = performance.now();
  const id = system.request({ prompt: "hello", backend });
  const finished = await new Promise<number>((resolve) => {
    const subscription = system.bus.connection.subscribe(`cortex.event.${id}.finish`, {
      max: 1,
      callback: () => resolve(performance.now()),
    });
    void subscription.closed;
  });
  await gone(id);
  return finished - started;
}

async function gone(id: string): Promise<void> {
  await system.until(
    () => system.of(id).some(isTerminal) && !existsSync(runFolder(system.journal, id)),
    "nothing owed",
  );
  await system.until(() => treeOf(system.pid).length === 1, "its processes have left");
}

async function cpuPair(name: string, command: string[], meter: CpuMeter, bareMeter: CpuMeter): Promise<Pair> {
  const before = { bare: bareMeter.ms, cortex: meter.ms };
  await bare(bareMeter.counted(command));
  await through(name);
  return { bare: bareMeter.ms - before.bare, cortex: meter.ms - before.cortex };
}

/** Of the process while it holds. */
async function memoryBare([program = "", ...args]: string[]): Promise<number> {
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  const said = new Promise((resolve) => child.stdout.once("data", resolve));
  child.stdin.write('{"prompt":"hold"}\n');
  await said;
  const memory = memoryOf([child.pid ?? 0]);
  child.stdin.end("more\n");
  await new Promise((resolve) => child.once("close", resolve));
  return memory;
}

/** Of the process, its shim and what belongs to it while it holds: without cortex and the bus, which stand anyway. */
async function memoryThrough(backend: string): Promise<number> {
  const id = system.request({ prompt: "hold", backend });
  await system.heard(id, "start");
  const memory = memoryOf(treeOf(system.pid).filter((pid) => pid !== system.pid));
  system.input(id, "more");
  await gone(id);
  return memory;
}

function print(what: string, pairs: Pair[]): void {
  const bare = spread(pairs.map((pair) => pair.bare));
  const cortex = spread(pairs.map((pair) => pair.cortex));
  const ratio = spread(pairs.map((pair) => pair.cortex / pair.bare));
  const more = spread(pairs.map((pair) => pair.cortex - pair.bare));
  process.stdout.write(`  ${what.padEnd(8)} bare ${bare}  through cortex ${cortex}  ratio ${ratio}  more ${more}\n`);
}
