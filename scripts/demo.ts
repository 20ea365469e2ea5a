/** `npm run demo`: brings the system up on a copy of the example journal, asks, hands off, continues, talks with an agent that lives on, and takes all of it down again. */
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { listAgents, readDescriptor } from "../journal/agent-files.ts";
import { readEndpoints } from "../journal/endpoints.ts";
import { listRuns } from "../journal/list-runs.ts";
import { endedFile, runState } from "../journal/run-files.ts";
import { findEvent } from "../journal/read-run.ts";
import { textField } from "../protocol/text-field.ts";
import { Service } from "../proc/service.ts";
import { ensureNatsServer } from "./ensure-nats.ts";
import { shorten } from "./text.ts";

const projectFile = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const question = "What did we decide about the greenhouse heater?";
const followUp = "And what does it cost to run?";
const chatted = "When was the heater installed?";
const upWithinMs = 30_000;

await ensureNatsServer();
const folder = mkdtempSync(join(tmpdir(), "cortex-demo-"));
const journal = join(folder, "journal");
cpSync(projectFile("examples/journal"), journal, { recursive: true });
const env = { ...process.env, JOURNAL_PATH: journal, CORTEX_MCP_PORT: "0", CORTEX_WEB_PORT: "0" };

say("1. Everything comes up, on a copy of the example journal", "cortex up");
const command = [process.execPath, projectFile("bin/cortex.js"), "up"];
const up = await Service.start({ command, env, logFile: join(folder, "up.log") });
let isInterrupted = false;
process.on("SIGINT", () => {
  isInterrupted = true;
});
try {
  await untilUp();
  await cortex(["status"]);

  say(
    "2. A request, and a handoff to a reviewer",
    `cortex-request "${question}" --set handoff='{"persona":"reviewer"}'`,
  );
  await cortex(["request", question, "--set", 'handoff={"persona":"reviewer"}']);
  const first = (await listRuns(journal, 10)).findLast((run) => run.prompt === question)?.agent_id ?? "";

  await ended(first);
  print(`\n${await await whoAnswered(first)}`);

  say("3. The run is a file: a line an event", `cat ${endedFile("$JOURNAL_PATH", first)}`);
  for (const line of readFileSync(endedFile(journal, first), "utf8").trimEnd().split("\n")) print(shorten(line, 160));

  const handedOff = await findEvent(journal, first, ["handoff"]);
  const child = handedOff ? textField(handedOff, "to") : "";
  say("4. The handoff became a run of its own", `cortex runs tail ${child}`);
  await cortex(["runs", "tail", child]);

  say("5. The conversation goes on, in a new process", `cortex-request --continue ${first} "${followUp}"`);
  await cortex(["request", "--continue", first, followUp]);

  say("6. An agent that lives on: it sends another one to look, hears of it, and answers", `cortex chat "${chatted}"`);
  await cortex(["chat", chatted]);
  await cortex(["tasks", "list"]);
  const agent = listAgents(journal).find((id) => readDescriptor(journal, id).kind === "main") ?? "";
  print(`\n$ cortex agents show ${agent}\n`);
  await cortex(["agents", "show", agent]);

  say("7. All of it", "cortex runs list");
  await cortex(["runs", "list"]);
} finally {
  say("8. Everything stops, and nothing is left running", "Ctrl-C");
  await up.stop("SIGTERM", 60_000);
  rmSync(folder, { recursive: true, force: true });
}
if (isInterrupted) process.exitCode = 130;

async function untilUp(): Promise<void> {
  const deadline = performance.now() + upWithinMs;
  while (!readEndpoints(journal)) {
    if (!up.isRunning || performance.now() > deadline)
      throw new Error(`cortex up failed:\n${readFileSync(join(folder, "up.log"), "utf8")}`);
    await delay(20);
  }
}

async function ended(agentId: string): Promise<void> {
  while (runState(journal, agentId) !== "ended") await delay(20);
}

/** Which backend answered, and what that cost. */
async function whoAnswered(agentId: string): Promise<string> {
  const run = (await listRuns(journal, 10)).find(({ agent_id }) => agent_id === agentId);
  const cost = run?.cost_usd === null || run === undefined ? "no price known" : `${run.cost_usd.toFixed(4)} USD`;
  const hint = run?.backend === "offline" ? "; with a provider's key in the environment, a model answers" : "";
  return `answered by ${run?.backend} (${run?.model}), ${run?.total_tokens ?? 0} tokens, ${cost}${hint}`;
}

async function cortex(args: string[]): Promise<void> {
  if (isInterrupted) throw new Error("interrupted");
  const { exitCode } = await execa(process.execPath, [projectFile("bin/cortex.js"), ...args], {
    env,
    stdio: "inherit",
    reject: false,
  });
  if (exitCode !== 0) throw new Error(`cortex ${args[0]} ended with exit code ${exitCode}`);
}

function say(title: string, typed: string): void {
  print(`\n── ${title}\n$ ${typed}\n`);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
