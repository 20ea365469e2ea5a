/** What a "hello" costs through cortex on a model's provider, beside a bare script with `fetch` and one with the SDK. The provider is played on this machine and answers at once, so what is measured is overhead. */
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { runtime } from "../journal/paths.ts";
import { runFolder } from "../journal/run-folder.ts";
import { isTerminal } from "../protocol/event.ts";
import { CortexSystem } from "../test/support/cortex-system.ts";
import { playAnthropic } from "../test/support/providers/anthropic.ts";
import { playOpenai } from "../test/support/providers/openai.ts";
import type { Play, PlayedServer, Reply } from "../test/support/providers/played.ts";
import { CpuMeter, peakOf } from "./processes.ts";
import { type Round, table } from "./spread.ts";

const rounds = Math.max(9, Number(process.env["ROUNDS"] ?? 11));
const key = "sk-bench-0123456789";

type Contest = {
  play: Play;
  model: string;
  environment: (url: string) => Record<string, string>;
  /** Scripts that ask once, read the answer to its end, and leave. */
  scripts: { fetch: string; sdk: string };
};

const contests: Record<string, Contest> = {
  openai: {
    play: playOpenai,
    model: "gpt-bench",
    environment: (url) => ({ OPENAI_API_KEY: key, OPENAI_BASE_URL: url }),
    scripts: {
      fetch: `const r = await fetch(process.env.OPENAI_BASE_URL + "/responses", { method: "POST",
        headers: { "content-type": "application/json", authorization: "Bearer " + process.env.OPENAI_API_KEY },
        body: JSON.stringify({ model: "gpt-bench", input: [{ type: "message", role: "user", content: "hello" }], stream: true, store: false, include: ["reasoning.encrypted_content"] }) });
        if (!(await r.text()).includes("response.completed")) process.exit(1);`,
      sdk: `import OpenAI from "openai";
        const s = await new OpenAI().responses.create({ model: "gpt-bench", input: [{ type: "message", role: "user", content: "hello" }], stream: true, store: false, include: ["reasoning.encrypted_content"] });
        for await (const e of s) if (e.type === "response.completed") process.exit(0);
        process.exit(1);`,
    },
  },
  anthropic: {
    play: playAnthropic,
    model: "claude-bench",
    environment: (url) => ({ ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: url }),
    scripts: {
      fetch: `const r = await fetch(process.env.ANTHROPIC_BASE_URL + "/v1/messages", { method: "POST",
        headers: { "content-type": "application/json", "anthropic-version": "2023-06-01", "x-api-key": process.env.ANTHROPIC_API_KEY },
        body: JSON.stringify({ model: "claude-bench", max_tokens: 1000, messages: [{ role: "user", content: "hello" }], stream: true }) });
        if (!(await r.text()).includes("message_stop")) process.exit(1);`,
      sdk: `import Anthropic from "@anthropic-ai/sdk";
        const c = new Anthropic({ defaultHeaders: { authorization: null, "x-api-key": process.env.ANTHROPIC_API_KEY } });
        const s = await c.messages.create({ model: "claude-bench", max_tokens: 1000, messages: [{ role: "user", content: "hello" }], stream: true });
        for await (const e of s) if (e.type === "message_stop") process.exit(0);
        process.exit(1);`,
    },
  },
};

const answers = (count: number): Reply[] => Array.from({ length: count }, () => ({ turn: { text: "hello" } }));

for (const [name, contest] of Object.entries(contests)) {
  // Warm-up, wall, CPU and memory: three askers each.
  await using server = await contest.play([
    ...answers(3 * (1 + 2 * rounds)),
    { silent: true },
    { silent: true },
    { silent: true },
  ]);
  const environment = contest.environment(server.url);
  const settings = { openai: { api: "responses" as const }, default_model: { [name]: contest.model } };
  await using system = await CortexSystem.start({ settings, env: environment });
  const natsPid = Number(readFileSync(runtime(system.journal, "nats.pid"), "utf8"));
  using meter = CpuMeter.over(`cortex-${name}`, system.pid, natsPid);
  using bareMeter = CpuMeter.over(`bare-${name}`);
  const commands = {
    fetch: [process.execPath, "--input-type=module", "-e", contest.scripts.fetch],
    sdk: [process.execPath, "--input-type=module", "-e", contest.scripts.sdk],
  };
  const askers: Record<string, () => Promise<number>> = {
    fetch: () => bare(commands.fetch, environment),
    sdk: () => bare(commands.sdk, environment),
    cortex: () => through(system, name),
  };
  const walls: Round[] = [];
  const cpus: Round[] = [];
  await each(askers, (ask) => ask());
  for (let round = 0; round < rounds; round++) {
    walls.push(await each(askers, (ask) => ask()));
    if (meter && bareMeter) {
      cpus.push({
        fetch: await counted(bareMeter, () => bare(bareMeter.counted(commands.fetch), environment)),
        sdk: await counted(bareMeter, () => bare(bareMeter.counted(commands.sdk), environment)),
        cortex: await counted(meter, () => through(system, name)),
      });
    }
  }
  process.stdout.write(`\n${name}, ${rounds} rounds\n${table("wall ms", walls)}`);
  if (cpus.length > 0) process.stdout.write(table("CPU ms", cpus));
  process.stdout.write(table("peak MiB", [await peaks(system, server, name, commands, environment)]));
}

async function each(
  askers: Record<string, () => Promise<number>>,
  take: (ask: () => Promise<number>) => Promise<number>,
): Promise<Round> {
  const round: Round = {};
  for (const [name, ask] of Object.entries(askers)) round[name] = await take(ask);
  return round;
}

async function counted(meter: CpuMeter, ask: () => Promise<unknown>): Promise<number> {
  const before = meter.ms;
  await ask();
  return meter.ms - before;
}

function start([program = "", ...args]: string[], environment: Record<string, string>) {
  return spawn(program, args, {
    stdio: ["ignore", "ignore", "inherit"],
    env: { PATH: process.env["PATH"], ...environment },
  });
}

/** From the start of the process to its end. */
async function bare(command: string[], environment: Record<string, string>): Promise<number> {
  const started = performance.now();
  const code = await new Promise<number | null>((resolve) => start(command, environment).once("close", resolve));
  if (code !== 0) throw new Error(`the script ended with exit code ${code}`);
  return performance.now() - started;
}

/** From the request to the last word that is heard. Then waits until nothing of the run is left. */
async function through(system: CortexSystem, backend: string): Promise<number> {
  const started = performance.now();
  const id = system.request({ prompt: "hello", backend, disable_mcp: true });
  const last = await system.until(() => system.of(id).find(isTerminal), "the last word");
  const ms = performance.now() - started;
  if (last.event !== "finish") throw new Error(JSON.stringify(last));
  await system.until(() => !existsSync(runFolder(system.journal, id)), "nothing owed");
  return ms;
}

/** The most that each process had resident by the time that it waits for an answer. */
async function peaks(
  system: CortexSystem,
  server: PlayedServer,
  backend: string,
  commands: Record<string, string[]>,
  environment: Record<string, string>,
): Promise<Round> {
  const round: Round = {};
  for (const [name, command] of Object.entries(commands)) {
    const before = server.requests.length;
    const child = start(command, environment);
    await system.until(() => server.requests.length > before, "a request");
    round[name] = peakOf(child.pid ?? 0);
    const ended = new Promise((resolve) => child.once("close", resolve));
    child.kill("SIGKILL");
    await ended;
  }
  const before = server.requests.length;
  const id = system.request({ prompt: "hello", backend, disable_mcp: true });
  await system.until(() => server.requests.length > before, "a request");
  const identity = readFileSync(`${runFolder(system.journal, id)}/1/id`, "utf8");
  round["cortex"] = peakOf(Number.parseInt(identity, 10));
  system.cancel(id);
  await system.ended(id);
  return round;
}
