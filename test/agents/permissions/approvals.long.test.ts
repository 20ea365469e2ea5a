/** Calls that wait for a person: asked once, answered once, made once, whoever is killed meanwhile. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { publishDecision } from "../../../bus/agents/inbound.ts";
import { readSettings } from "../../../journal/config/settings.ts";
import { logFile } from "../../../journal/logs/program-logs.ts";
import type { AgentEvent } from "../../../protocol/runs/event.ts";
import { runCortex, runCortexJson, spawnCortex } from "../../scripts/run-command.ts";
import { hasEnded } from "../../support/journal-processes.ts";
import { JournalClient } from "../../support/journal-client.ts";
import { AgentsSystem, type Mind } from "../agents-system.ts";

const settings = {
  agents: { join_window_ms: 0, owners: ["alpha:owner"], binding: "shared" },
  permissions: [
    { tool: "todo_add", decide: "ask" },
    { tool: "memory_write", match: "leek*", decide: "ask" },
  ],
};
const facet = JSON.stringify({ title: "Garden" });
const system = await AgentsSystem.start(settings, {
  "facets/garden/facet.json": facet,
  "personas/planter.txt": "Plant.",
  "personas/planter.json": JSON.stringify({ schedule: "daily", missed: "skip", tools: "todo" }),
});
afterAll(() => system[Symbol.asyncDispose]());
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

const todos = () => {
  const path = join(system.journal, "facets/garden/todos/20260101.md");
  return existsSync(path) ? readFileSync(path, "utf8") : "";
};
const timesAdded = (text: string) =>
  todos()
    .split("\n")
    .filter((line) => line.includes(text)).length;
const eventsOf = (run: string, name: string) => system.up.file(run).filter(({ event }) => event === name);
const questionOf = (run: string): Promise<AgentEvent> =>
  system.until(() => eventsOf(run, "permission")[0], `${run} asks`);
const endOf = (run: string): Promise<AgentEvent> =>
  system.until(() => system.up.file(run).find(({ event }) => ["finish", "error"].includes(event)), `${run} ends`);

function start(word: string, fields: Record<string, unknown> = {}): string {
  system.think(word, gardener(word));
  return client.request({ prompt: `do ${word}`, tools: ["todo_add"], ...fields });
}

/** Seconds that a question waits, for tests in which nobody answers, and seconds of a run: a loaded machine takes less until it asks. */
const [waitSeconds, runSeconds] = [9, 8];

/** Sets how long a question waits. Resolves when the service that asks has read it. */
async function setWaitSeconds(seconds: number): Promise<void> {
  const reads = () => readFileSync(logFile(system.journal, "agents"), "utf8").split("was read again").length;
  const before = reads();
  const settings = JSON.parse(readFileSync(join(system.journal, "cortex.json"), "utf8"));
  system.up.configure({ ...settings, permission_timeout_seconds: seconds });
  await system.until(() => reads() > before, "the settings are read");
}

const listed = async () =>
  (await runCortexJson(system.journal, ["permissions", "list"])).document["permissions"] as Record<string, unknown>[];

test("a call that a rule asks about waits, is listed, and is made when it is allowed", async () => {
  const run = start("leek-1");
  const { id, tool, args, why, expires } = await questionOf(run);
  expect({ tool, args }).toEqual({ tool: "todo_add", args: { facet: "garden", day: "20260101", text: "leek-1" } });
  expect(why).toBe("a rule asks about todo_add");
  expect(Number(expires) - Date.now()).toBeLessThanOrEqual(300_000);
  // It stands in the run's file before it is kept.
  await client.until(async () => (await listed()).length > 0, "it is listed");
  expect(await listed()).toEqual([expect.objectContaining({ id, agent_id: run, tool, args, why, expires })]);
  expect(timesAdded("leek-1")).toBe(0);
  expect(await runCortex(system.journal, ["permissions", "allow", String(id).slice(0, 8)])).toMatchObject({ code: 0 });
  expect(await endOf(run)).toMatchObject({ event: "finish", result: expect.stringContaining("I was told: ") });
  expect(timesAdded("leek-1")).toBe(1);
  expect(eventsOf(run, "permission_decided")).toEqual([
    expect.objectContaining({ id, decision: "allow", by: "cli:main" }),
  ]);
  const names = system.up.file(run).map(({ event }) => event);
  const order = ["tool_start", "permission", "permission_decided", "tool_end"].map((name) => names.indexOf(name));
  expect(order).toEqual(order.toSorted((a, b) => a - b));
  const late = await runCortex(system.journal, ["permissions", "deny", String(id)]);
  expect(late).toMatchObject({ code: 3, stderr: expect.stringContaining("decided before: allow") });
  expect(await listed()).toEqual([]);
});

test("a call that is denied is an error that says by whom, and isn't made", async () => {
  const run = start("leek-2");
  const { id } = await questionOf(run);
  await runCortex(system.journal, ["permissions", "deny", String(id)]);
  expect((await endOf(run))["result"]).toContain("todo_add denied by cli:main");
  expect(timesAdded("leek-2")).toBe(0);
});

test("a call that nobody answers is denied when its time is over, and both clocks stand still meanwhile", async () => {
  await setWaitSeconds(waitSeconds);
  // Longer than either of its clocks.
  const run = start("leek-3", { timeout_seconds: runSeconds, idle_timeout_seconds: runSeconds });
  expect((await endOf(run))["result"]).toContain("todo_add denied: nobody answered");
  expect(eventsOf(run, "permission_decided")).toEqual([expect.objectContaining({ decision: "deny", by: "timeout" })]);
  expect(timesAdded("leek-3")).toBe(0);
});

test("a call of a workspace's agent waits by the trust in it, and its model hears who has denied it, and why", async () => {
  const trust = { level: 1, escalate: ["todo"], timeout_seconds: 60_000 };
  const run = start("beet-1", { tools: ["todo_add", "todo_list"], trust });
  const { id, action, why, expires } = await questionOf(run);
  expect({ action, why }).toEqual({
    action: "escalate",
    why: `the agent's list "escalate" names it; the workspace's trust level is 1`,
  });
  expect(Number(expires) - Date.now()).toBeGreaterThan(50_000_000);
  const owner = await system.as("owner");
  await publishDecision(owner, String(id), { decision: "deny", userName: "Ada", reason: "not now" });
  expect((await endOf(run))["result"]).toContain('todo_add denied by cli:Ada ("not now")');
  expect(timesAdded("beet-1")).toBe(0);
  expect(eventsOf(run, "permission_decided")).toEqual([expect.objectContaining({ decision: "deny", by: "cli:Ada" })]);
});

test("what is scheduled, and what is detached, wait as long, and then their model reads that nobody answered", async () => {
  const day = "20260105";
  system.think(day, gardener("leek-8"));
  system.think("leek-9", gardener("leek-9"));
  const detached = await runCortex(system.journal, ["request", "--detach", "--tools", "todo", "do leek-9"]);
  const ran = await runCortexJson(system.journal, ["schedule", "run", "--day", day, "--persona", "planter"]);
  const [{ agent_id: scheduled }] = (ran.document as { units: [{ agent_id: string }] }).units;
  for (const run of [detached.stdout, scheduled]) {
    expect((await endOf(run))["result"]).toContain("todo_add denied: nobody answered");
    const [{ ts = 0, expires = 0 } = {}] = eventsOf(run, "permission") as { ts?: number; expires?: number }[];
    expect(expires - ts).toBeLessThanOrEqual(waitSeconds * 1000);
  }
  expect(timesAdded("leek-8") + timesAdded("leek-9")).toBe(0);
});

test("what is decided for always is a rule, which is shown", async () => {
  await setWaitSeconds(300);
  const run = start("leek-4");
  const { id } = await questionOf(run);
  const { stderr } = await runCortex(system.journal, ["permissions", "allow", String(id), "--always"]);
  expect(stderr).toContain('kept in cortex.json: {"tool":"todo_add","decide":"allow"}');
  await endOf(run);
  expect(readSettings(system.journal).permissions?.[0]).toEqual({ tool: "todo_add", decide: "allow" });
  expect(eventsOf(run, "permission_decided")).toEqual([expect.objectContaining({ always: true })]);
  const next = start("leek-5");
  await endOf(next);
  expect(eventsOf(next, "permission")).toEqual([]);
  expect(timesAdded("leek-5")).toBe(1);
  system.up.configure({
    ...JSON.parse(readFileSync(join(system.journal, "cortex.json"), "utf8")),
    permissions: settings.permissions,
  });
});

test("the user of an agent is asked where they speak to it, and an owner alone decides", async () => {
  const alpha = await system.channel("alpha");
  const write = { tool: "memory_write", args: { path: "leek.md", content: "leek-6" } };
  system.think("leek-6", ({ results }) => (results.length > 0 ? { text: "well" } : { calls: [write] }));
  await alpha.say("do leek-6");
  const asked = await alpha.heard(/^May .* call memory_write\?/);
  expect(asked.text).toContain('"content": "leek-6"');
  const { token } = (asked.metadata as { permission: { token: string } }).permission;
  const run = (await listed())[0]?.["agent_id"] as string;
  const adapter = await system.as("channel-alpha");
  await publishDecision(adapter, token, { decision: "allow", userId: "mallory" });
  await publishDecision(adapter, token, { decision: "allow" });
  await publishDecision(adapter, token, { decision: "deny", userId: "owner" });
  await publishDecision(adapter, token, { decision: "allow", userId: "owner" });
  await alpha.heard("This was decided before: denied by alpha:owner.");
  expect(eventsOf(run, "permission_decided")).toEqual([
    expect.objectContaining({ decision: "deny", by: "alpha:owner" }),
  ]);
  expect(existsSync(join(system.journal, "memory/leek.md"))).toBe(false);
});

test("the commands' own user may decide over the bus, a client may not", async () => {
  const run = start("leek-7");
  const id = String((await questionOf(run))["id"]);
  const bus = await system.up.client();
  await expect(publishDecision(bus, id, { decision: "allow" })).rejects.toThrow();
  expect(eventsOf(run, "permission_decided")).toEqual([]);
  const owner = await system.as("owner");
  owner.connection.publish(`permission.decide.${id}`, JSON.stringify({ decision: "allow" }));
  await endOf(run);
  expect(eventsOf(run, "permission_decided")).toEqual([expect.objectContaining({ by: "cli:main" })]);
});

test("one of two different answers at the same instant counts", async () => {
  const run = start("plum-1");
  const id = String((await questionOf(run))["id"]);
  const [one, other] = [await system.as("owner"), await system.as("owner")];
  one.connection.publish(`permission.decide.${id}`, JSON.stringify({ decision: "allow" }));
  other.connection.publish(`permission.decide.${id}`, JSON.stringify({ decision: "deny" }));
  await Promise.all([one.connection.flush(), other.connection.flush()]);
  await endOf(run);
  const [decided, ...more] = eventsOf(run, "permission_decided");
  expect(more).toEqual([]);
  expect(timesAdded("plum-1")).toBe(decided?.["decision"] === "allow" ? 1 : 0);
});

/** Asks as a user would, and answers with what it says of the question while it waits. */
async function askAndAnswer(word: string, flags: string[] = []) {
  system.think(word, gardener(word));
  const asking = spawnCortex(system.journal, ["request", ...flags, "--tools", "todo", `do ${word}`]);
  let said = "";
  asking.stderr.on("data", (chunk) => (said += String(chunk)));
  const id = await system.until(() => /cortex permissions allow (\w{8}), or deny/.exec(said)?.[1], "it says so");
  expect(said).not.toContain("allowed by");
  expect(await runCortex(system.journal, ["permissions", "allow", id])).toMatchObject({ code: 0 });
  return await asking;
}

test("cortex-request says on stderr, once, how a call that waits is answered, and what was decided", async () => {
  const { stdout, stderr } = await askAndAnswer("plum-2");
  expect(stdout).toContain("I was told: ");
  for (const once of ["May todo_add be called?", "or deny", "allowed by cli:main"])
    expect(stderr.split(once)).toHaveLength(2);
  const json = await askAndAnswer("plum-3", ["--json"]);
  const events = json.stdout.split("\n").map((line) => JSON.parse(line) as AgentEvent);
  expect(events.filter(({ event }) => event.startsWith("permission"))).toHaveLength(2);
  expect(json.stderr.split("\n")).toEqual([
    expect.stringContaining("May todo_add be called?"),
    expect.stringContaining("a rule asks about todo_add"),
    expect.stringContaining("or deny"),
    expect.stringContaining("allowed by cli:main"),
  ]);
});

const programs = ["supervisor", "cortex", "mcp-tools", "agents", "nats-server"];
const victims: Record<string, string[]> = {
  "the tool server": ["mcp-tools"],
  "the agents' service": ["agents"],
  cortex: ["cortex"],
  "the agent": ["run"],
  everything: [...programs, "run"],
};

/** Kills programs, or the run's own processes, and waits until they are gone. */
async function kill(names: string[], run: string): Promise<void> {
  const pids = names.filter((name) => name !== "run").map((name) => system.pidOf(name));
  for (const pid of pids) process.kill(pid, "SIGKILL");
  if (names.includes("run")) client.killAttempt(run, 1);
  await system.until(() => pids.every(hasEnded), "they are gone");
}

test.each(Object.keys(victims))("a call that waits outlives kill -9 of %s, and is made once", async (victim) => {
  const word = `leek-kill-${Object.keys(victims).indexOf(victim)}`;
  const run = start(word);
  const { id } = await questionOf(run);
  await system.until(() => existsSync(join(system.journal, `.state/permissions/${String(id)}.json`)), "it is kept");
  await kill(victims[victim] ?? [], run);
  await system.restart();
  const answered = async () => (await runCortex(system.journal, ["permissions", "allow", String(id)])).code === 0;
  await client.until(answered, "it is allowed");
  expect(await endOf(run)).toMatchObject({ event: "finish", result: expect.stringContaining("I was told: ") });
  expect(timesAdded(word)).toBe(1);
  expect(eventsOf(run, "permission")).toHaveLength(1);
  expect(eventsOf(run, "permission_decided")).toHaveLength(1);
  expect(eventsOf(run, "tool_end")).toEqual([expect.objectContaining({ is_error: false })]);
  expect(system.wrong).toEqual([]);
});

/** Makes calls about these facets in turn, so many or until it has been told otherwise, then says what it was told. */
function repeater(most: number, facets = ["garden"]): Mind {
  let made = 0;
  return ({ results: [last] }) => {
    if (made === most || last?.text.includes("isn't made")) return { text: `After ${made}: ${last?.text}` };
    const facet = facets[made++ % facets.length];
    return { calls: [{ tool: "get_facet", args: { facet } }] };
  };
}

function startRepeater(word: string, most: number, fields: Record<string, unknown>, facets?: string[]): string {
  system.think(word, repeater(most, facets));
  return client.request({ prompt: `do ${word}`, tools: ["get_facet"], ...fields });
}

test("a run that repeats itself ends where nobody can be asked", async () => {
  const run = startRepeater("fig-1", 9, {});
  expect(await endOf(run)).toMatchObject({
    event: "error",
    reason: "loop",
    error: expect.stringContaining("the same call 5 times in a row (get_facet)"),
  });
  expect(eventsOf(run, "permission")).toEqual([]);
  expect(eventsOf(run, "tool_end").filter(({ is_error }) => is_error === false)).toHaveLength(4);
  expect(await listed()).toEqual([]);
});

test("a run that repeats itself, and is followed, waits for a person; one that may not go on is told so", async () => {
  const run = startRepeater("fig-2", 9, { watched: true });
  const { id, tool, args, why, loop } = await questionOf(run);
  expect({ tool, args, loop }).toEqual({
    tool: "loop",
    args: { tool: "get_facet", args: { facet: "garden" } },
    loop: true,
  });
  expect(why).toBe("it made the same call 5 times in a row (get_facet)");
  await runCortex(system.journal, ["permissions", "deny", String(id)]);
  expect((await endOf(run))["result"]).toContain(
    "After 5: get_facet isn't made, since you repeat yourself: loop denied by cli:main.",
  );
});

test("a circle of calls is asked about before its last call; allowed, the run goes round once more before it is again", async () => {
  const run = startRepeater("fig-4", 20, { watched: true }, ["garden", "orchard", "pond"]);
  const { id, tool, why } = await questionOf(run);
  expect([tool, why]).toEqual(["loop", "it made the same 3 calls 3 times in a row (get_facet)"]);
  expect(eventsOf(run, "tool_end")).toHaveLength(8);
  await runCortex(system.journal, ["permissions", "allow", String(id)]);
  const again = await system.until(() => eventsOf(run, "permission")[1], "it asks again");
  expect(eventsOf(run, "tool_end")).toHaveLength(17);
  await runCortex(system.journal, ["permissions", "deny", String(again["id"])]);
  expect((await endOf(run))["result"]).toContain("After 18: get_facet isn't made, since you repeat yourself");
});

test("a loop's question outlives kill -9 of the tool server; allowed, the run goes on and counts anew", async () => {
  const run = startRepeater("fig-3", 8, { watched: true });
  const { id } = await questionOf(run);
  await system.until(() => existsSync(join(system.journal, `.state/permissions/${String(id)}.json`)), "it is kept");
  await kill(["mcp-tools"], run);
  await system.restart();
  const answered = async () => (await runCortex(system.journal, ["permissions", "allow", String(id)])).code === 0;
  await client.until(answered, "it is allowed");
  expect((await endOf(run))["result"]).toContain("After 8: ");
  expect(eventsOf(run, "permission")).toHaveLength(1);
  expect(eventsOf(run, "tool_end").every(({ is_error }) => is_error === false)).toBe(true);
});
