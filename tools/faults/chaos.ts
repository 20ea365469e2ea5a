/** `npm run chaos`: kills everything at every step of runs, for as long as is wanted, and says what came of it. */
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { execa } from "execa";
import { findProgram } from "../../proc/os/find-program.ts";
import { packageFile } from "../../proc/programs/package-file.ts";
import { type Done, runMatrix } from "../../test/chaos/runs/matrix.ts";
import { type AgentCase, agentCases, agentVictims } from "../../test/chaos/agents/agent-cases.ts";
import { type AgentDone, runAgentMatrix, toldAgentCase } from "../../test/chaos/agents/agent-matrix.ts";
import { Engine } from "../../test/simulation/engine.ts";
import { agentFailpoints } from "../../proc/programs/failpoint.ts";
import { tableOf, tableOfKilled } from "../../test/chaos/runs/table-of.ts";
import { toldCase } from "../../test/chaos/runs/told-case.ts";
import { ensureNatsServer } from "../../scripts/start/ensure-nats.ts";
import { type Command, parseCommandLine, runCommand, usageError } from "../../scripts/command/command.ts";
import { duration } from "../../scripts/command/layout/text.ts";

const help = `
Usage: npm run chaos -- [OPTIONS]

Brings real systems to each durable step of a run, kills what a case says with -9 (the agent, cortex, nats-server,
mcp-tools, the supervisor, or all at once), lets everything come back, and checks: every accepted request has ended, once;
its file is whole, and the bus has the same; it was saved and handed on once; nothing is left. Then the long form of the
tests that kill programs, the supervisor, and the members of a cluster over time.

  --cases N       how many cases (1000)
  --seed S        repeats the cases of another time; without it, the clock's
  --case N        one case alone, of that seed
  --agents        conversations of long-lived agents instead: the agents' service is killed each time that it comes to
                  each of its durable steps, and cortex, mcp-tools, nats-server, or all at once; all of them, or --case N,
                  or --cases N that the seed chooses; nothing else is run
  --seconds N     for how long programs are killed at random (120); 0: not at all
  --kills N       how often cortex and the supervisor are killed while much goes on (100), and then two workers under 500
                  runs, and members of a cluster; 0: not at all
  --server PATH   the nats-server (the one that is installed)

Exits with 1 when something is wrong. Everything runs in temporary folders, three cases a core side by side.
`;

const options = {
  cases: { type: "string" },
  seed: { type: "string" },
  case: { type: "string" },
  agents: { type: "boolean" },
  seconds: { type: "string" },
  kills: { type: "string" },
  server: { type: "string" },
} as const;

/** A case waits most of its time. */
const lanesPerCore = 3;

/** Milliseconds after which progress is told again. */
const tellEveryMs = 30_000;

export const command: Command = {
  help,
  run: async (args) => {
    const { values } = parseCommandLine(args, options, "npm run chaos --");
    const seed = numberOf("seed", values.seed) ?? Date.now() % 1_000_000;
    const only = numberOf("case", values.case);
    const count = numberOf("cases", values.cases) ?? 1000;
    const seconds = numberOf("seconds", values.seconds) ?? 120;
    const kills = numberOf("kills", values.kills) ?? 100;
    using server = await chooseServer(values.server);
    say(`chaos, seed ${seed}, ${server.version}`);
    if (values.agents) return (await runAgents(agentCasesOf(seed, only, numberOf("cases", values.cases)))) ? 0 : 1;
    const isSound = await runCases(seed, only === undefined ? Array.from({ length: count }, (_, at) => at) : [only]);
    if (only !== undefined) return isSound ? 0 : 1;
    return (await runLongTests(seed, seconds, kills)) && isSound ? 0 : 1;
  },
};

function numberOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d+$/.test(text)) throw usageError(`--${name} "${text}": expected a number`, "see: npm run chaos -- --help");
  return Number(text);
}

/** From here on this is the nats-server that is found, by everything that is started. */
async function chooseServer(given: string | undefined): Promise<{ version: string } & Disposable> {
  const path = given === undefined ? await ensureNatsServer() : findProgram(resolve(given));
  if (path === null) throw usageError(`--server "${given}": expected a program`, "see: npm run chaos -- --help");
  const { stdout } = await execa(path, ["--version"]);
  const folder = mkdtempSync(join(tmpdir(), "chaos-server-"));
  symlinkSync(path, join(folder, "nats-server"));
  process.env["PATH"] = `${folder}${delimiter}${process.env["PATH"]}`;
  return { version: stdout.trim(), [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}

/** All, in an order of chance, so that a part of them is one of everything. */
function agentCasesOf(seed: number, only: number | undefined, count = agentCases.length): AgentCase[] {
  if (only !== undefined) return agentCases.filter(({ number }) => number === only);
  const engine = new Engine(seed);
  const mixed = agentCases.map((one) => ({ one, at: engine.random() })).toSorted((a, b) => a.at - b.at);
  return mixed.slice(0, count).map(({ one }) => one);
}

/** Resolves with whether nothing is wrong. */
async function runAgents(cases: AgentCase[]): Promise<boolean> {
  const done: AgentDone[] = [];
  const isWrong = ({ problems, isReached }: AgentDone) => problems.length > 0 || !isReached;
  const onDone = (one: AgentDone) => {
    done.push(one);
    if (isWrong(one) || cases.length === 1) say(toldAgentCase(one));
    else say(`${done.length} of ${cases.length} cases`);
  };
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  process.once("SIGINT", stop).once("SIGTERM", stop);
  const lanes = Math.min(availableParallelism(), cases.length);
  await runAgentMatrix({ cases, lanes, onDone, signal: stopping.signal });
  say(tableOfKilled(done, agentFailpoints, agentVictims));
  return done.length === cases.length && !done.some(isWrong);
}

/** Resolves with whether nothing is wrong. */
async function runCases(seed: number, numbers: number[]): Promise<boolean> {
  const done: Done[] = [];
  const since = performance.now();
  const isWrong = ({ problems }: Done) => problems.length > 0;
  const tell = () =>
    say(
      `${done.length} of ${numbers.length} cases, ${done.filter(isWrong).length} wrong, ${duration(performance.now() - since)}`,
    );
  const onDone = (one: Done) => {
    done.push(one);
    if (isWrong(one) || numbers.length === 1) say(toldCase(seed, one));
  };
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  process.once("SIGINT", stop).once("SIGTERM", stop);
  const telling = setInterval(tell, tellEveryMs);
  try {
    const lanes = Math.min(lanesPerCore * availableParallelism(), numbers.length);
    await runMatrix({ seed, numbers, lanes, onDone, signal: stopping.signal });
  } finally {
    clearInterval(telling);
    process.off("SIGINT", stop).off("SIGTERM", stop);
  }
  tell();
  say(`${done.filter(({ isReached }) => !isReached).length} ended before they came to their point; of the others:\n`);
  say(tableOf(done));
  return done.length === numbers.length && !done.some(isWrong);
}

/** The long form of tests that the suite has in short. Resolves with whether they pass. */
async function runLongTests(seed: number, seconds: number, kills: number): Promise<boolean> {
  const files = [
    ...(seconds > 0 ? ["test/chaos/programs.long.test.ts"] : []),
    ...(kills > 0
      ? ["chaos/adopt.long", "supervisor/killed.long", "chaos/workers.long", "examples/cluster"].map(
          (name) => `test/${name}.test.ts`,
        )
      : []),
  ];
  if (files.length === 0) return true;
  const env = {
    SEED: String(seed),
    CHAOS_SECONDS: String(seconds),
    CHAOS_SEED: String(seed),
    CHAOS_KILLS: String(kills),
    CHAOS_RUNS: "500",
    SUPERVISOR_KILLS: String(kills),
    CHAOS_CLUSTER: "1",
  };
  const root = packageFile(".");
  const vitest = execa("vitest", ["run", ...files], {
    cwd: root,
    env,
    preferLocal: true,
    localDir: root,
    stdio: "inherit",
    reject: false,
  });
  return (await vitest).exitCode === 0;
}

const say = (text: string) => process.stdout.write(`${text}\n`);

if (import.meta.main) process.exitCode = await runCommand(command, process.argv.slice(2));
