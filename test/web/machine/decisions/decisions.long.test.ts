/**
 * The decisions that wait for the owner, made over HTTP on a whole `cortex up`: the call happens or doesn't, once,
 * whoever is killed or asks twice.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readSettings, usableSettings } from "../../../../journal/config/settings.ts";
import { logOf } from "../../../../proc/logging/log.ts";
import type { AgentEvent } from "../../../../protocol/runs/event.ts";
import type { Decision } from "../../../../web/machine/records/decision-records.ts";
import { openMachine } from "../../../../web/machine/machine.ts";
import type { Approval } from "../../../../workspace/records/approval.ts";
import { AgentsSystem } from "../../../agents/agents-system.ts";
import { sender } from "../../../agents/sender.ts";
import { StopPoint } from "../../../chaos/stop-point.ts";
import { JournalClient } from "../../../support/journal-client.ts";
import { eventually, killWeb, ownerOf, type TeamCaller } from "../../../workspace/team-caller.ts";

const settings = {
  channels: { alpha: { external: true } },
  agents: { join_window_ms: 0, owners: ["alpha:owner"], binding: "shared" },
  permissions: [{ tool: "todo_add", decide: "ask" }],
};

class Client extends JournalClient {
  readonly log = "";
}

let system: AgentsSystem;
let owner: TeamCaller;
let client: Client;
const stop = new StopPoint();
beforeAll(async () => {
  system = await AgentsSystem.start(
    settings,
    {
      "facets/garden/facet.json": JSON.stringify({ title: "Garden" }),
    },
    stop.env,
  );
  owner = ownerOf(system);
  client = new Client(system.journal, await system.up.client());
});
afterAll(async () => {
  stop[Symbol.dispose]();
  await system[Symbol.asyncDispose]();
});

const timesAdded = (text: string) => {
  const path = join(system.journal, "facets/garden/todos/20260101.md");
  const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n") : [];
  return lines.filter((line) => line.includes(text)).length;
};

/** Starts a run that adds a todo, and says what it was told. */
function start(word: string, fields: Record<string, unknown> = {}): string {
  const call = { tool: "todo_add", args: { facet: "garden", day: "20260101", text: word } };
  system.think(word, ({ results: [result] }) => (result ? { text: `I was told: ${result.text}` } : { calls: [call] }));
  return client.request({ prompt: `do ${word}`, tools: ["todo_add"], ...fields });
}

const open = async () => (await owner.get<{ items: Decision[] }>("/decisions")).items;
const askedBy = (run: string): Promise<Decision> =>
  eventually(async () => (await open()).find((decision) => decision.run === run), `${run} asks`);
const decide = (id: string, body: object, headers?: Record<string, string>) =>
  owner.call("POST", `/decisions/${id}`, body, headers);
const endOf = (run: string): Promise<AgentEvent> =>
  system.until(() => system.up.file(run).find(({ event }) => ["finish", "error"].includes(event)), `${run} ends`);

test("two calls that wait are listed, oldest first; the allowed one is made, the model of the other reads why it isn't", async () => {
  const first = start("leek-1");
  const one = await askedBy(first);
  const second = start("leek-2");
  const two = await askedBy(second);
  expect((await open()).map(({ id }) => id)).toEqual([one.id, two.id]);
  expect(one).toMatchObject({
    kind: "call",
    run: first,
    persona: "default",
    agent: null,
    workspace: null,
    tool: "todo_add",
    args: { facet: "garden", day: "20260101", text: "leek-1" },
    rules: [{ tool: "todo_add", decide: "allow" }],
    status: "open",
    decided_by: null,
  });
  const denied = await decide(two.id, { decision: "deny", reason: "the bed is full" });
  expect(denied).toMatchObject({
    status: 200,
    body: { id: two.id, status: "denied", decided_by: "web:owner", reason: "the bed is full" },
  });
  expect((await open()).map(({ id }) => id)).toEqual([one.id]);
  expect(await decide(one.id, { decision: "allow" })).toMatchObject({ status: 200, body: { status: "allowed" } });
  expect((await endOf(first))["result"]).toContain("I was told: ");
  expect((await endOf(second))["result"]).toContain('todo_add denied by web:owner ("the bed is full")');
  expect([timesAdded("leek-1"), timesAdded("leek-2")]).toEqual([1, 0]);
  expect(await open()).toEqual([]);
});

test("one of two who decide at once is told that the other was first", async () => {
  const run = start("leek-3");
  const { id } = await askedBy(run);
  const answers = await Promise.all([decide(id, { decision: "allow" }), decide(id, { decision: "deny" })]);
  const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
  expect(statuses).toEqual([200, 409]);
  const late = answers.find(({ status }) => status === 409);
  expect(late?.body).toMatchObject({
    error: { code: "conflict", message: expect.stringMatching(/decided before: \w+ by web:owner/) },
  });
  const isAllowed = answers[0]?.status === 200;
  await endOf(run);
  expect(timesAdded("leek-3")).toBe(isAllowed ? 1 : 0);
  expect(system.up.file(run).filter(({ event }) => event === "permission_decided")).toHaveLength(1);
});

test("a question outlives the web program, and a decision that is sent again after its death is the same one", async () => {
  const run = start("leek-4");
  const { id } = await askedBy(run);
  await killWeb(system);
  expect(await open()).toMatchObject([{ id, run, status: "open" }]);
  // The decision is kept, and the web program dies before it can answer.
  stop.set("decision-kept", 1);
  const key = { "Idempotency-Key": "allow-leek-4" };
  const cut = decide(id, { decision: "allow" }, key).catch(() => null);
  await system.until(() => stop.isReached(), "it is kept");
  stop.clear();
  await killWeb(system);
  stop.letGo();
  await cut;
  const again = await eventually(async () => {
    const answer = await decide(id, { decision: "allow" }, key).catch(() => null);
    return answer && answer.status < 500 ? answer : undefined;
  }, "the web program answers");
  expect(again).toMatchObject({ status: 200, body: { status: "allowed", decided_by: "web:owner" } });
  expect((await decide(id, { decision: "allow" }, { "Idempotency-Key": "another" })).status).toBe(409);
  await endOf(run);
  expect(timesAdded("leek-4")).toBe(1);
});

test("what is asked and decided is told to whoever listens, each once", async () => {
  const bus = await system.as("channel-web");
  const base = { journal: system.journal, bus, settings: () => usableSettings(system.journal).settings };
  await using machine = openMachine({ ...base, timeZone: "UTC", store: null, log: logOf("test") });
  const told: string[] = [];
  using _ = machine.decisions.listen(({ id, run, status }) => void told.push(`${id} ${run} ${status}`));
  const run = start("leek-5");
  await system.until(() => told.length === 1, "the question is told");
  const { id } = await askedBy(run);
  await decide(id, { decision: "deny" });
  await system.until(() => told.length === 2, "the decision is told");
  expect(told).toEqual([`${id} ${run} open`, `${id} ${run} denied`]);
});

test("a task of a long-lived agent that wants to write elsewhere waits among the others", async () => {
  const outside = mkdtempSync(join(tmpdir(), "cortex-outside-"));
  try {
    const path = join(outside, "one.txt");
    const write = { calls: [{ tool: "write", args: { path, content: "ink" } }] };
    system.think("[channel: ", sender);
    system.think("pen-1", ({ last, results: [result] }) => {
      if (last.includes("[Permission allowed]") || !result) return write;
      if (result.tool === "request_permission") return { text: "I wait." };
      if (!result.isError) return { text: "I have written." };
      return { calls: [{ tool: "request_permission", args: { path, reason: "To keep it." } }] };
    });
    const alpha = await system.channel("alpha");
    await alpha.say("do pen-1");
    const agent = await system.main("room");
    const asked = await eventually(async () => (await open()).find(({ kind }) => kind === "write"), "it asks");
    expect(asked).toMatchObject({ agent, path, tool: null, why: "To keep it.", rules: [] });
    expect(await decide(asked.id, { decision: "always" })).toMatchObject({ status: 400 });
    expect(await decide(asked.id, { decision: "allow" })).toMatchObject({ status: 200 });
    await system.until(() => existsSync(path), "it has written");
  } finally {
    rmSync(outside, { recursive: true, force: true });
  }
});

test("a call of a workspace's agent says where it was asked, and what a member has decided waits no more", async () => {
  const workspace = (await owner.post<{ id: string }>("/workspaces", { name: "Garden" })).id;
  const agent = { slug: "gardener", name: "gardener", display_name: "Gardener", system_prompt: "You garden." };
  await owner.post(`/workspaces/${workspace}/agents`, { ...agent, tools: ["todo_add"] });
  const plant = async (text: string) => {
    const call = { tool: "todo_add", args: { facet: "garden", day: "20260101", text } };
    system.think(`plant ${text}.`, ({ results: [result] }) =>
      result ? { text: `I was told: ${result.text}` } : { calls: [call] },
    );
    const { id: thread } = await owner.post<{ id: string }>(`/workspaces/${workspace}/threads`, { title: text });
    await owner.post(`/threads/${thread}/messages`, { text: `@gardener plant ${text}.` });
    return thread;
  };
  const approvals = async () => (await owner.get<{ items: Approval[] }>(`/workspaces/${workspace}/approvals`)).items;
  const inThread = (thread: string) =>
    eventually(async () => (await open()).find((one) => one.workspace?.thread_id === thread), "it asks");
  const thread = await plant("beet-1");
  const decision = await inThread(thread);
  expect(decision.workspace).toMatchObject({ workspace_id: workspace, fork_id: null });
  expect(await decide(decision.id, { decision: "allow", reason: "go on" })).toMatchObject({ status: 200 });
  await system.until(() => timesAdded("beet-1") === 1, "the call is made");
  await eventually(
    async () => (await approvals()).find(({ thread_id, status }) => thread_id === thread && status === "allowed"),
    "the workspace knows",
  );
  const other = await inThread(await plant("beet-2"));
  const approval = (await approvals()).find(({ status }) => status === "open");
  await owner.post(`/approvals/${approval?.id}`, { decision: "deny" });
  expect((await open()).map(({ id }) => id)).not.toContain(other.id);
  expect(await decide(other.id, { decision: "allow" })).toMatchObject({
    status: 409,
    body: { error: { message: expect.stringMatching(/decided before: denied by web:/) } },
  });
});

test("what is decided for always is a rule, as at the terminal, and what nobody asks is refused", async () => {
  expect((await decide("0".repeat(32), { decision: "allow" })).status).toBe(404);
  expect((await decide("0".repeat(32), { decision: "maybe" })).status).toBe(400);
  const run = start("leek-6");
  const { id } = await askedBy(run);
  expect(await decide(id, { decision: "always" })).toMatchObject({ status: 200, body: { status: "allowed" } });
  await endOf(run);
  expect(readSettings(system.journal).permissions?.[0]).toEqual({ tool: "todo_add", decide: "allow" });
  const next = start("leek-7");
  await endOf(next);
  expect(system.up.file(next).filter(({ event }) => event === "permission")).toEqual([]);
});
