/** A question that is killed with -9 at any of its steps is asked once, and its call is made once, or never; and a turn's clocks while its task asks. */
import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, expect, onTestFinished, test } from "vitest";
import { recordOf } from "../../../cortex/plan/run-record.ts";
import { findSandbox } from "../../../sandbox/sandbox-level.ts";
import { callCommand } from "../../../bus/agents/agent-calls.ts";
import { publishDecision } from "../../../bus/agents/inbound.ts";
import { type Failpoint, questionFailpoints } from "../../../proc/programs/failpoint.ts";
import type { AgentEvent } from "../../../protocol/runs/event.ts";
import { StopPoint } from "../../chaos/stop-point.ts";
import { runCortex } from "../../scripts/run-command.ts";
import { hasEnded } from "../../support/journal-processes.ts";
import { JournalClient } from "../../support/journal-client.ts";
import { AgentsSystem, type Mind } from "../agents-system.ts";

/** Seconds of the main agent's turns: the user takes longer. A loaded machine takes less until the user is asked. */
const turnSeconds = 20;
const stop = new StopPoint();
const system = await AgentsSystem.start(
  {
    agents: { join_window_ms: 0, owners: ["alpha:owner", "web:owner"], binding: "shared" },
    permissions: [
      { tool: "todo_add", decide: "ask" },
      { tool: "bash", decide: "ask" },
    ],
  },
  {
    "facets/garden/facet.json": JSON.stringify({ title: "Garden" }),
    "personas/main.json": JSON.stringify({ timeout_seconds: turnSeconds, idle_timeout_seconds: turnSeconds }),
  },
  stop.env,
);
afterAll(async () => {
  stop[Symbol.dispose]();
  await system[Symbol.asyncDispose]();
});
afterEach(() => {
  stop.clear();
  stop.letGo();
});
class Client extends JournalClient {
  readonly log = "";
}
const client = new Client(system.journal, await system.up.client());

/** Adds a todo, and says what it was told. */
const gardener =
  (text: string): Mind =>
  ({ results: [result] }) =>
    result
      ? { text: `I was told: ${result.text}` }
      : { calls: [{ tool: "todo_add", args: { facet: "garden", day: "20260101", text } }] };

function timesAdded(text: string): number {
  const path = join(system.journal, "facets/garden/todos/20260101.md");
  const todos = existsSync(path) ? readFileSync(path, "utf8") : "";
  return todos.split("\n").filter((line) => line.includes(text)).length;
}
const eventsOf = (run: string, name: string) => system.up.file(run).filter(({ event }) => event === name);
const questionOf = (run: string): Promise<AgentEvent> =>
  system.until(() => eventsOf(run, "permission")[0], `${run} asks`);
const endOf = (run: string): Promise<AgentEvent> =>
  system.until(() => system.up.file(run).find(({ event }) => ["finish", "error"].includes(event)), `${run} ends`);

function start(word: string): string {
  system.think(word, gardener(word));
  return client.request({ prompt: `do ${word}`, tools: ["todo_add"] });
}

/** Decides, whoever dies meanwhile: what was decided before it could be said stands. */
async function decide(id: string, decision: "allow" | "deny"): Promise<void> {
  await client.until(async () => {
    const { code, stderr } = await runCortex(system.journal, ["permissions", decision, id]);
    return code === 0 || stderr.includes(`decided before: ${decision}`);
  }, `it is decided: ${decision}`);
}

const inAgents: Failpoint[] = ["question-told", "question-kept", "rule-kept", "decision-kept"];
const everything = ["supervisor", "cortex", "mcp-tools", "agents", "nats-server"];
let count = 0;

/** Asks, and kills who stands at a step, or everything; then it is decided. */
async function killedAt(point: Failpoint, isAll: boolean, decision: "allow" | "deny"): Promise<[string, string]> {
  const word = `elm-${++count}-`;
  stop.set(point, 1);
  const run = start(word);
  const id = String((await questionOf(run))["id"]);
  const isDecidedFirst = !["question-told", "question-kept"].includes(point);
  const early = isDecidedFirst ? runCortex(system.journal, ["permissions", decision, id]) : undefined;
  await system.until(() => stop.isReached(), point);
  stop.clear();
  const victims = isAll ? everything : [inAgents.includes(point) ? "agents" : "mcp-tools"];
  const pids = victims.map((name) => system.pidOf(name));
  for (const pid of pids) process.kill(pid, "SIGKILL");
  if (isAll) client.killAttempt(run, 1);
  await system.until(() => pids.every(hasEnded), "they are gone");
  await system.restart();
  await early;
  await decide(id, decision);
  return [run, word];
}

function expectOneQuestion(run: string, decision: string): void {
  expect(eventsOf(run, "permission")).toHaveLength(1);
  expect(eventsOf(run, "permission_decided")).toEqual([expect.objectContaining({ decision, by: "cli:main" })]);
}

const cases = questionFailpoints.flatMap((point) => [
  [point, "whoever stands there", false] as const,
  [point, "everything", true] as const,
]);

test.each(cases)("at %s, %s is killed: allowed, the call is made once", async (point, _, isAll) => {
  const [run, word] = await killedAt(point, isAll, "allow");
  expect(await endOf(run)).toMatchObject({ event: "finish", result: expect.stringContaining("I was told: ") });
  expect(timesAdded(word)).toBe(1);
  expect(eventsOf(run, "tool_end")).toEqual([expect.objectContaining({ is_error: false })]);
  expectOneQuestion(run, "allow");
  expect(system.wrong).toEqual([]);
});

test.each(["question-told", "question-kept", "rule-kept", "decision-kept"] as const)(
  "at %s, everything is killed: denied, the call is never made",
  async (point) => {
    const [run, word] = await killedAt(point, true, "deny");
    expect((await endOf(run))["result"]).toContain("todo_add denied by cli:main");
    expect(timesAdded(word)).toBe(0);
    expectOneQuestion(run, "deny");
  },
);

const sandbox = await findSandbox();

test.skipIf(sandbox.level === "none").each([["the tools"], ["everything"]])(
  "a command that was allowed and had begun when %s was killed isn't run again, and its model is told that nobody knows",
  async (victim) => {
    const word = `elm-command-${victim.slice(-3)}`;
    system.think(word, ({ results: [result] }) =>
      result
        ? { text: `I was told: ${result.text}` }
        : { calls: [{ tool: "bash", args: { command: "echo once >>ran; sleep 600" } }] },
    );
    const run = client.request({ prompt: `do ${word}`, tools: ["bash"] });
    await decide(String((await questionOf(run))["id"]), "allow");
    // Open, it can be read when the run's folder is gone.
    const ran = openSync(await system.until(() => ranIn(run), "it has begun"), "r");
    onTestFinished(() => closeSync(ran));
    const pids = (victim === "everything" ? everything : ["mcp-tools"]).map((name) => system.pidOf(name));
    for (const pid of pids) process.kill(pid, "SIGKILL");
    if (victim === "everything") client.killAttempt(run, 1);
    await system.until(() => pids.every(hasEnded), "they are gone");
    await system.restart();
    expect((await endOf(run))["result"]).toContain("whether it was done isn't known");
    expect(readFileSync(ran, "utf8")).toBe("once\n");
    expect(eventsOf(run, "permission")).toHaveLength(1);
    expect(eventsOf(run, "tool_end")).toEqual([expect.objectContaining({ tool: "bash", is_error: true })]);
  },
);

/** The file that a run's command writes, once it has. */
function ranIn(run: string): string | null {
  const path = join(String(recordOf(system.journal, run)?.work_folder), "ran");
  return existsSync(path) && readFileSync(path, "utf8") !== "" ? path : null;
}

/** A run whose question stands in its file, while the service stands still before it keeps it. */
async function toldAndNotKept(word: string): Promise<{ run: string; question: string }> {
  stop.set("question-told", 1);
  const run = start(word);
  const { id: question } = await questionOf(run);
  await system.until(() => stop.isReached(), "the question isn't kept");
  stop.clear();
  return { run, question: String(question) };
}

test("who answers what stands in the run's file, before the question is kept, is heard", async () => {
  const { run, question } = await toldAndNotKept("elm-at-once");
  const adapter = await system.as("channel-web");
  await publishDecision(adapter, question, { decision: "allow", channelType: "web", userId: "owner" });
  stop.letGo();
  expect(await endOf(run)).toMatchObject({ event: "finish" });
  expect(timesAdded("elm-at-once")).toBe(1);
});

test("a command that answers a question before it is kept, by the begin of its id, is carried out", async () => {
  const { run, question } = await toldAndNotKept("elm-early");
  const owner = await system.as("owner");
  const args = { id: question.slice(0, 8), decision: "allow" };
  const answered = callCommand(owner, { command: "permissions decide", args });
  // The service has it before it goes on.
  await owner.connection.flush();
  stop.letGo();
  expect(await answered).toMatchObject({ ok: true });
  expect(await endOf(run)).toMatchObject({ event: "finish" });
  expect(timesAdded("elm-early")).toBe(1);
});

const id = (text: string) => String(JSON.parse(text).taskId);

/** Both are the same agent's: its newer mind goes first. */
const never = Promise.withResolvers<never>();
system.think("elm-impatient", ({ results: [result] }) => {
  if (result?.tool === "task_wait") return never.promise;
  if (result) return { calls: [{ tool: "task_wait", args: { taskIds: [id(result.text)] } }] };
  return { calls: [{ tool: "spawn_subagent", args: { description: "o", input: "do elm-other" } }] };
});

test("a turn's clocks stand still while it waits for a task whose user hasn't answered, whoever is killed", async () => {
  const alpha = await system.channel("alpha");
  system.think("elm-task", gardener("elm-task"));
  system.think("elm-parent", ({ results: [result] }) => {
    if (!result) return { calls: [{ tool: "spawn_subagent", args: { description: "t", input: "do elm-task" } }] };
    if (result.tool === "reply") return { text: "Said." };
    if (result.tool === "task_wait")
      return { calls: [{ tool: "reply", args: { text: result.text, channelId: "room" } }] };
    const args = { taskIds: [id(result.text)], timeout_seconds: turnSeconds + 1 };
    return { calls: [{ tool: "task_wait", args }] };
  });
  await alpha.say("do elm-parent");
  const asked = await alpha.heard(/^May t call todo_add\?/);
  const { token } = (asked.metadata as { permission: { token: string } }).permission;
  const main = await system.main("room");
  const run = await system.until(() => system.state(main).turn?.run_id, "its turn");
  const stopped = await system.until(() => eventsOf(run, "clocks_stopped")[0], "its clocks stand still");
  expect(stopped).toMatchObject({ id: token, run_id: system.state(await system.task("elm-parent")).turn?.run_id });
  await system.killAgents();
  // Longer than either of its clocks.
  await system.until(() => Date.now() > stopped.ts + (turnSeconds + 2) * 1000, "that takes longer than its turn may");
  expect(eventsOf(run, "clocks_resumed")).toEqual([]);
  await decide(token, "allow");
  expect((await alpha.heard(/"done":true/)).text).toContain("I was told: ");
  expect(await endOf(run)).toMatchObject({ event: "finish" });
  expect(eventsOf(run, "clocks_resumed")).toEqual([expect.objectContaining({ id: token })]);
  expect(eventsOf(run, "clocks_stopped")).toHaveLength(1);
  expect(timesAdded("elm-task")).toBe(1);
});

test("a turn that waits for its task no longer has its clocks again, though the task's user hasn't answered", async () => {
  const alpha = await system.channel("alpha");
  system.think("elm-other", gardener("elm-other"));
  await alpha.say("do elm-impatient");
  const asked = await alpha.heard(/^May o call todo_add\?/);
  const { token } = (asked.metadata as { permission: { token: string } }).permission;
  const main = await system.main("room");
  const run = await system.until(() => system.state(main).turn?.run_id, "its turn");
  await system.until(() => eventsOf(run, "clocks_stopped")[0], "its clocks stand still");
  // Somebody writes: it waits no longer.
  await alpha.say("and this");
  expect(await endOf(run)).toMatchObject({ event: "error", reason: expect.stringMatching(/timeout|idle/) });
  expect(eventsOf(run, "clocks_resumed")).toHaveLength(1);
  await decide(token, "deny");
});
