/** Calls of a run that wait for a person, decided by the client that started the run: by forms, or as before. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { readEndpoints } from "../../../journal/access/endpoints.ts";
import { commandsToken } from "../../../journal/access/tokens.ts";
import { AgentsSystem, type Mind } from "../../agents/agents-system.ts";
import { runCortex, runCortexJson } from "../../scripts/run-command.ts";
import { stateless, StatelessClient } from "../../support/mcp/stateless-client.ts";
import { patienceMs } from "../../support/patience.ts";

const settings = {
  agents: { join_window_ms: 0, owners: ["alpha:owner"], binding: "shared" },
  permissions: [{ tool: "todo_add", decide: "ask" }],
};
const system = await AgentsSystem.start(settings, {
  "facets/garden/facet.json": JSON.stringify({ title: "Garden" }),
  "personas/planter.txt": "Plant.",
  "personas/planter.json": JSON.stringify({ tools: "todo" }),
});
let url = "";
let token = "";
beforeAll(async () => {
  url = readEndpoints(system.journal)?.mcp_url ?? "";
  token = await commandsToken(system.journal);
});
afterAll(() => system[Symbol.asyncDispose]());

/** Adds a todo, and says what it was told. */
const gardener =
  (text: string): Mind =>
  ({ results: [result] }) =>
    result
      ? { text: `I was told: ${result.text}` }
      : { calls: [{ tool: "todo_add", args: { facet: "garden", day: "20260101", text } }] };

const timesAdded = (text: string) => {
  const path = join(system.journal, "facets/garden/todos/20260101.md");
  return existsSync(path) ? readFileSync(path, "utf8").split(text).length - 1 : 0;
};

function argumentsFor(word: string) {
  system.think(word, gardener(word));
  return { prompt: `do ${word}`, persona: "planter" };
}

type Form = { method: string; params: { mode: string; message: string; requestedSchema: object } };

/** The first form in a result, and its question's id. */
function formIn(result: Record<string, unknown> | null): [id: string, form: Form] {
  const [first] = Object.entries((result?.["inputRequests"] ?? {}) as Record<string, Form>);
  if (!first) throw new Error(`there is no form in ${JSON.stringify(result)}`);
  return first;
}

const withForms = { elicitation: { form: {} } };

test.each([
  ["allow", { decision: "allow" }, /^I was told: /, 1],
  ["deny", { decision: "deny", reason: "the ground is frozen" }, /the ground is frozen/, 0],
])("the official client fills in the form: %s", async (word, content, answer, times) => {
  const options = { capabilities: withForms, versionNegotiation: { mode: "auto" as const } };
  await using client = Object.assign(new Client({ name: "test", version: "1" }, options), {
    [Symbol.asyncDispose]: () => client.close(),
  });
  const asked: string[] = [];
  client.setRequestHandler("elicitation/create", ({ params }) => {
    asked.push(params.message);
    return { action: "accept", content };
  });
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  expect(client.getNegotiatedProtocolVersion()).toBe(stateless);
  const params = { name: "cortex_run", arguments: argumentsFor(`form-${word}`) };
  const result = await client.callTool(params, { timeout: patienceMs });
  expect(result.structuredContent).toMatchObject({ state: "finished", result: expect.stringMatching(answer) });
  expect(asked).toEqual([expect.stringMatching(/^May the run call todo_add .*a rule asks about todo_add/)]);
  expect(timesAdded(`form-${word}`)).toBe(times);
});

test("an answer that is none is asked for again; a form that is put away leaves the question to others", async () => {
  const client = new StatelessClient(url, token, withForms);
  const args = argumentsFor("leek-again");
  const asked = await client.call("cortex_run", args);
  const requestState = asked["requestState"];
  const [id, form] = formIn(asked);
  expect(asked["resultType"]).toBe("input_required");
  expect(form).toMatchObject({ method: "elicitation/create", params: { mode: "form" } });
  const again = await client.call("cortex_run", args, { requestState, inputResponses: { [id]: { action: "accept" } } });
  expect(again).toMatchObject({
    resultType: "input_required",
    requestState: expect.any(String),
    inputRequests: { [id]: form },
  });

  const later = await client.call("cortex_run", args, { requestState, inputResponses: { [id]: { action: "cancel" } } });
  expect(later).toMatchObject({
    resultType: "complete",
    structuredContent: { agent_id: expect.stringMatching(/^\d+$/), state: "waiting" },
  });
  const { agent_id } = later["structuredContent"] as { agent_id: string };
  expect(await runCortex(system.journal, ["permissions", "allow", id])).toMatchObject({ code: 0 });
  const done = await client.call("cortex_run", args, { requestState, inputResponses: {} });
  expect(done["structuredContent"]).toMatchObject({ agent_id, state: "finished" });
  expect(timesAdded("leek-again")).toBe(1);
  for (const made of ["of somebody's making", agent_id, `${String(requestState)}x`]) {
    const params = { name: "cortex_run", arguments: args, requestState: made, inputResponses: {} };
    expect((await client.ask("tools/call", params)).error).toMatchObject({ code: -32602 });
  }
});

test("a client that fills in no forms waits until it is decided elsewhere", async () => {
  const client = new StatelessClient(url, token);
  const answer = client.call("cortex_run", argumentsFor("leek-elsewhere"));
  const waiting = await vi.waitUntil(
    async () => {
      const { document } = await runCortexJson(system.journal, ["permissions", "list"]);
      return (document["permissions"] as { id: string; args: { text: string } }[]).find(
        ({ args }) => args.text === "leek-elsewhere",
      );
    },
    { timeout: patienceMs, interval: 100 },
  );
  await runCortex(system.journal, ["permissions", "allow", waiting.id]);
  expect((await answer)["structuredContent"]).toMatchObject({ state: "finished" });
});

test("a task that waits for a person says so to a client that can ask, and goes on when it is told", async () => {
  const extensions = { "io.modelcontextprotocol/tasks": {} };
  const client = new StatelessClient(url, token, { ...withForms, extensions });
  const { taskId } = await client.call("cortex_run", argumentsFor("leek-task"));
  const until = (status: string) =>
    vi.waitUntil(
      async () => {
        const task = await client.resultOf("tasks/get", { taskId });
        return task["status"] === status ? task : null;
      },
      { timeout: patienceMs, interval: 100 },
    );
  const [id] = formIn(await until("input_required"));
  const plain = new StatelessClient(url, token, { extensions });
  expect(await plain.resultOf("tasks/get", { taskId })).toMatchObject({
    status: "working",
    statusMessage: expect.stringContaining("todo_add"),
  });
  const inputResponses = { [id]: { action: "accept", content: { decision: "allow" } } };
  expect(Object.keys(await client.resultOf("tasks/update", { taskId, inputResponses }))).not.toContain("status");
  expect(await until("completed")).toMatchObject({ result: { structuredContent: { state: "finished" } } });
  expect(timesAdded("leek-task")).toBe(1);
});
