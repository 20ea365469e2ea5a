/** `npm run demo`: brings the system up on a copy of the example journal, asks, hands off, continues, talks with a long-lived agent and in a team's thread, and takes all of it down again. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { execa, type Options } from "execa";
import { messageOf } from "../files/errors/error-message.ts";
import { listAgents, readDescriptor } from "../journal/agents/agent-files.ts";
import { listRuns } from "../journal/runs/list-runs.ts";
import { endedFile, runFile, runState } from "../journal/runs/run-files.ts";
import { findEvent } from "../journal/runs/read-run.ts";
import { textField } from "../protocol/runs/text-field.ts";
import { Service } from "../proc/programs/service.ts";
import { ensureNatsServer } from "../scripts/start/ensure-nats.ts";

const projectFile = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const question = "What did we decide about the greenhouse heater?";
const followUp = "And what does it cost to run?";
const chatted = "When was the heater installed?";
const thread = "The greenhouse";
const conclusion = "About 24 euros a month, within the 25 that we allowed.";
/** A program has 30 s to become ready, and others come first. */
const upWithinMs = 120_000;
/** Milliseconds that the offline backend, or a model, may take for one answer and its file. */
const answerWithinMs = 300_000;
const stopWithinMs = 90_000;
/** Characters of a line that fit into most terminals. */
const lineLength = 100;

/** Ctrl-C, a closed terminal, or whoever ends us: all of it stops, and nothing more is begun. */
const interrupted = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => interrupted.abort());
// A terminal that is gone takes no more words.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => interrupted.abort());

await ensureNatsServer();
const folder = mkdtempSync(join(tmpdir(), "cortex-demo-"));
const journal = join(folder, "journal");
cpSync(projectFile("examples/journal"), journal, { recursive: true });
const env = { ...process.env, JOURNAL_PATH: journal, CORTEX_MCP_PORT: "0", CORTEX_WEB_PORT: "0" };

say("1. Everything comes up, on a copy of the example journal", "cortex up");
const command = [process.execPath, projectFile("bin/cortex.js"), "up"];
const up = await Service.start({ command, env, logFile: join(folder, "up.log") });
let code = 0;
try {
  await untilUp();
  await cortex(["status"]);

  say(
    "2. A request, and a handoff to a reviewer",
    `cortex-request "${question}" --set handoff='{"persona":"reviewer"}'`,
  );
  await cortex(["request", question, "--set", 'handoff={"persona":"reviewer"}']);
  const first = (await listRuns(journal, 10)).findLast((run) => run.prompt === question)?.agent_id;
  if (first === undefined) throw new Error(`no run of "${question}" stands in ${journal}/runs`);

  await ended(first);
  print(`\n${await whoAnswered(first)}`);

  say("3. The run is a file: a line an event", `cat ${endedFile("$JOURNAL_PATH", first)}`);
  for (const line of readFileSync(endedFile(journal, first), "utf8").trimEnd().split("\n")) print(cut(line));

  const handedOff = await findEvent(journal, first, ["handoff"]);
  const child = handedOff ? textField(handedOff, "to") : "";
  say("4. The handoff became a run of its own", `cortex runs tail ${child}`);
  await showCut(["runs", "tail", child]);

  say("5. The conversation goes on, in a new process", `cortex-request --continue ${first} "${followUp}"`);
  await cortex(["request", "--continue", first, followUp]);

  say("6. A long-lived agent: it sends another one to look, hears of it, and answers", `cortex chat "${chatted}"`);
  await cortex(["chat", chatted]);
  await showCut(["tasks", "list"]);
  const agent = listAgents(journal).find((id) => readDescriptor(journal, id).kind === "main") ?? "";
  print(`\n$ cortex agents show ${agent}\n`);
  await showCut(["agents", "show", agent]);

  say(
    "7. A team's thread: an agent is mentioned; a fork takes a question away and brings its conclusion back",
    `cortex thread post --new "${thread}" --wait "@assistant ${question}"`,
  );
  await letAgentsRead();
  await cortex(["thread", "post", "--new", thread, "--wait", `@assistant ${question}`]);
  print(`\n$ cortex thread fork "${thread}" "${followUp}"\n`);
  await cortex(["thread", "fork", thread, followUp]);
  const fork = await newestFork();
  print(`\n$ cortex thread post --fork ${fork} --wait "@assistant what does the greenhouse heater cost to run?"\n`);
  await showCut([
    "thread",
    "post",
    "--fork",
    fork,
    "--wait",
    "@assistant what does the greenhouse heater cost to run?",
  ]);
  print(`\n$ cortex thread post --fork ${fork} "${conclusion}"\n`);
  await showCut(["thread", "post", "--fork", fork, conclusion]);
  print(`\n$ cortex thread resolve ${fork} --post\n`);
  await cortex(["thread", "resolve", fork, "--post"]);

  say("8. All of it", "cortex runs list");
  await showCut(["runs", "list"]);
} catch (error) {
  code = interrupted.signal.aborted ? 130 : 1;
  if (!interrupted.signal.aborted) process.stderr.write(`error: ${messageOf(error)}\n`);
} finally {
  say("9. Everything stops, and nothing is left running", "cortex down");
  // Once more: at once.
  process.on("SIGINT", () => up.signal("SIGTERM"));
  await up.stop("SIGTERM", stopWithinMs);
  rmSync(folder, { recursive: true, force: true });
}
process.exit(code);

async function untilUp(): Promise<void> {
  const said = () => readFileSync(join(folder, "up.log"), "utf8");
  await until(
    () => {
      if (!up.isRunning) throw new Error(`cortex up has ended:\n${said()}`);
      return said().includes("cortex is up");
    },
    upWithinMs,
    () => `cortex isn't up; what it has said:\n${said()}`,
  );
}

/** Agents of a workspace have no tools to begin with: here they may look into the journal. */
async function letAgentsRead(): Promise<void> {
  const file = join(folder, "agents.yaml");
  await cortex(["workspace", "agents", "export", file], "ignore");
  writeFileSync(file, readFileSync(file, "utf8").replaceAll("tools: []", "tools: [journal]"));
  await cortex(["workspace", "agents", "import", file], "ignore");
}

/** The end of its id, as people type it. */
async function newestFork(): Promise<string> {
  const args = [projectFile("bin/cortex.js"), "thread", "show", thread, "--json"];
  const { stdout } = await execa(process.execPath, args, { env, cancelSignal: interrupted.signal });
  const { forks } = JSON.parse(stdout) as { forks: { id: string }[] };
  return forks[0]?.id.slice(-8) ?? "";
}

async function ended(agentId: string): Promise<void> {
  const isEnded = () => runState(journal, agentId) === "ended";
  const said = () => readFileSync(runFile(journal, agentId) ?? "/dev/null", "utf8").slice(-500);
  await until(isEnded, answerWithinMs, () => `the run ${agentId} hasn't ended; what it said last: ${said()}`);
}

/** @throws Error that explains what was waited for, after so long, or when the demo is interrupted */
async function until(isSo: () => boolean, withinMs: number, missing: () => string): Promise<void> {
  for (const deadline = performance.now() + withinMs; !isSo(); ) {
    if (performance.now() > deadline) throw new Error(`${missing()}\n(waited for ${withinMs / 1000} s)`);
    await delay(20, undefined, { signal: interrupted.signal });
  }
}

/** Which backend answered, and what that cost. */
async function whoAnswered(agentId: string): Promise<string> {
  const run = (await listRuns(journal, 10)).find(({ agent_id }) => agent_id === agentId);
  const cost = run?.cost_usd === null || run === undefined ? "no price known" : `${run.cost_usd.toFixed(4)} USD`;
  const hint = run?.backend === "offline" ? "\nwith a provider's key in the environment, a model answers" : "";
  return `answered by ${run?.backend} (${run?.model}), ${run?.total_tokens ?? 0} tokens, ${cost}${hint}`;
}

/** A line of records, as much of it as fits; what people are told is left to the terminal. */
function cut(line: string): string {
  return line.length > lineLength ? `${line.slice(0, lineLength - 1)}…` : line;
}

function* cutLine(line: unknown): Generator<string> {
  yield cut(String(line));
}

function showCut(args: string[]): Promise<void> {
  return cortex(args, [cutLine, "inherit"]);
}

async function cortex(args: string[], stdout: Options["stdout"] = "inherit"): Promise<void> {
  const { exitCode, signal, timedOut } = await execa(process.execPath, [projectFile("bin/cortex.js"), ...args], {
    env,
    stdin: "ignore",
    stdout,
    stderr: "inherit",
    reject: false,
    timeout: answerWithinMs,
    cancelSignal: interrupted.signal,
    forceKillAfterDelay: 5000,
  });
  // It may have heard of it before us.
  if (signal === "SIGINT" || exitCode === 130) interrupted.abort();
  interrupted.signal.throwIfAborted();
  if (timedOut) throw new Error(`cortex ${args[0]} hasn't ended within ${answerWithinMs / 1000} s`);
  if (exitCode !== 0) throw new Error(`cortex ${args[0]} ended with exit code ${exitCode}`);
}

function say(title: string, typed: string): void {
  print(`\n── ${title}\n$ ${typed}\n`);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
