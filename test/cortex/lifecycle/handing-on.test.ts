/** Handing on: when a run has finished, its file is closed and its child goes out, once, with what it inherits. */
import { afterAll, expect, test } from "vitest";
import { runState } from "../../../journal/runs/run-files.ts";
import type { AgentEvent } from "../../../protocol/runs/event.ts";
import { CortexSystem, fixtureAgent, fixtureAgents } from "../../support/cortex-system.ts";

const system = await CortexSystem.start({
  settings: {
    ...fixtureAgents("scripted"),
    backends: { scripted: fixtureAgent("scripted"), other: fixtureAgent("scripted") },
  },
  files: {
    "facets/garden/facet.json": '{"title":"Garden"}',
    "personas/writer.txt": "You write.",
    "personas/writer.json": '{"handoff":{"persona":"critic","prompt":"by the persona"}}',
    "personas/plain.txt": "You have no settings.",
    "personas/critic.txt": "You doubt.",
    "personas/critic.json":
      '{"tools":["get_events"],"backend":"other","timeout_seconds":5000,"idle_timeout_seconds":7}',
  },
});
afterAll(() => system[Symbol.asyncDispose]());

const finish = (result: string, handoff?: Record<string, unknown>) => ({
  ev: { event: "finish", result, ...(handoff ? { handoff } : {}) },
});
const names = (events: AgentEvent[]) => events.map(({ event }) => event);
const childOf = (file: AgentEvent[]): string => {
  const handoffs = file.filter(({ event }) => event === "handoff");
  expect(handoffs).toHaveLength(1);
  return String(handoffs[0]?.["to"]);
};
const notes = (file: AgentEvent[]) => file.filter(({ event }) => event === "info").map(({ message }) => message);

test.concurrent("the terminal event, the save, the handoff, the closed file, then the child come in that order", async () => {
  const id = system.steps([finish("the result", { persona: "reviewer" })], { save: "a.md", day: "20250101" });
  const file = await system.settled(id);
  expect(names(file)).toEqual(["request", "start", "finish", "saved", "handoff"]);
  const child = childOf(file);
  const first = await system.heard(child, "request");
  expect(system.events.indexOf(first)).toBeGreaterThan(
    system.events.findIndex(({ agent_id, event }) => agent_id === id && event === "handoff"),
  );
  expect(runState(system.journal, id)).toBe("ended");
  const ofChild = await system.settled(child);
  expect(ofChild[0]).toMatchObject({ persona: "reviewer", prompt: "the result", handoff_from: id });
  expect(ofChild[0]).not.toHaveProperty("save");
  expect(system.of(id)).toEqual(file);
});

test.concurrent("the agent's handoff wins over the request's, which wins over the persona's", async () => {
  const handoff = { persona: "reviewer", prompt: "by the request" };
  const byAgent = await system.settled(
    system.steps([finish("r", { persona: "reviewer", prompt: "by the agent" })], { persona: "writer", handoff }),
  );
  const byRequest = await system.settled(system.steps([finish("r")], { persona: "writer", handoff }));
  const byPersona = await system.settled(system.steps([finish("r")], { persona: "writer" }));
  expect((await system.settled(childOf(byAgent)))[0]).toMatchObject({ prompt: "by the agent" });
  expect((await system.settled(childOf(byRequest)))[0]).toMatchObject({ prompt: "by the request" });
  expect((await system.settled(childOf(byPersona)))[0]).toMatchObject({ prompt: "by the persona", persona: "critic" });
});

test.concurrent("an agent's handoff may say who, what and where, and nothing else", async () => {
  const allowed = { persona: "plain", prompt: "p", backend: "other", model: "m", save: "x.md", day: "20250102" };
  const forbidden = {
    tools: ["search_journal", "evil"],
    env: { A: "1" },
    timeout_seconds: 99999,
    max_cost_usd: 99,
    priority: 1,
    mcp_server_url: "http://evil.test",
    continue_from: "1736380800000",
    handoff: { persona: "x" },
    ts: 17363808e5,
  };
  const file = await system.settled(
    system.steps([finish("r", { ...allowed, facet: "garden", ...forbidden })], { tools: ["get_facet"] }),
  );
  for (const name of Object.keys(forbidden)) expect(notes(file).join()).toContain(name);
  const child = await system.settled(childOf(file));
  expect(child[0]).toMatchObject({ ...allowed, facet: "garden", tools: ["get_facet"], timeout_seconds: 600 });
  for (const name of ["env", "max_cost_usd", "priority", "mcp_server_url", "continue_from", "handoff"]) {
    if (name === "env") expect(child[0]?.["env"] ?? {}).toEqual({});
    else expect(child[0]).not.toHaveProperty(name);
  }
});

test.concurrent("a child inherits backend, tools, facet, day, env and limits, and not the save", async () => {
  const id = system.steps([finish("r")], {
    backend: "other",
    model: "m",
    tools: ["get_facet"],
    facet: "garden",
    day: "20250103",
    env: { A: "shorter" },
    timeout_seconds: 60,
    idle_timeout_seconds: 50,
    max_total_tokens: 1e3,
    save: "x.md",
    flavour: "own",
    handoff: {
      persona: "plain",
      prompt: JSON.stringify([{ env: true }]),
    },
  });
  const child = await system.settled(childOf(await system.settled(id)));
  expect(child[0]).toMatchObject({
    backend: "other",
    model: "m",
    tools: ["get_facet"],
    facet: "garden",
    day: "20250103",
    env: { A: "***" },
    timeout_seconds: 60,
    idle_timeout_seconds: 50,
    max_total_tokens: 1e3,
    persona: "plain",
    flavour: "own",
  });
  expect(child[0]).not.toHaveProperty("save");
  expect(JSON.parse(String(child.find(({ event }) => event === "finish")?.["result"]))).toMatchObject({
    A: "shorter",
  });
});

test.concurrent("a model is inherited only where the backend is the same", async () => {
  const fields = { backend: "scripted", model: "m" };
  const moved = await system.settled(system.steps([finish("r")], { ...fields, handoff: { backend: "other" } }));
  const stayed = await system.settled(system.steps([finish("r")], { ...fields, handoff: { backend: "scripted" } }));
  const byPersona = await system.settled(system.steps([finish("r")], { ...fields, handoff: { persona: "critic" } }));
  const requests: (AgentEvent | undefined)[] = [];
  for (const file of [moved, stayed, byPersona]) requests.push((await system.settled(childOf(file)))[0]);
  expect(requests.map((request) => request?.["model"])).toEqual([undefined, "m", undefined]);
});

test.concurrent("settings of the child's persona win over the parent's, but no limit rises", async () => {
  const id = system.steps([finish("r")], { tools: ["get_facet"], timeout_seconds: 60, handoff: { persona: "critic" } });
  const child = childOf(await system.settled(id));
  const file = await system.settled(child);
  expect(file[1]).toMatchObject({ persona: "critic", backend: "other" });
  expect(file[0]).toMatchObject({ timeout_seconds: 60, idle_timeout_seconds: 7 });
  expect(file[0]).not.toHaveProperty("tools");
});

test.concurrent("a run that may use no tools can't hand on to one that may", async () => {
  const id = system.steps([finish("r", { persona: "reviewer" })], { disable_mcp: true });
  const child = await system.settled(childOf(await system.settled(id)));
  expect(child[0]).toMatchObject({ disable_mcp: true });
});

test.concurrent("an empty result is handed on to nobody, and an info event says so", async () => {
  const file = await system.settled(system.steps([finish(" \n")], { handoff: { persona: "reviewer" } }));
  expect(names(file)).toEqual(["request", "start", "info", "finish"]);
  expect(notes(file)).toEqual(["no handoff: the result is empty"]);
});

test.concurrent("nothing is handed on or saved after an error", async () => {
  const fields = { handoff: { persona: "reviewer", prompt: "next" }, save: "x.md" };
  const failed = await system.settled(system.steps([{ ev: { event: "error", error: "no" } }], fields));
  const crashed = await system.settled(system.steps([{ exit: 3 }], fields));
  expect(names(failed)).toEqual(["request", "start", "error"]);
  expect(names(crashed)).toEqual(["request", "start", "error"]);
});

test.concurrent("a handoff of a wrong type is left out, said in an info event, and the run has finished", async () => {
  for (const handoff of [{ persona: 42 }, { prompt: ["x"] }, { backend: "" }]) {
    const file = await system.settled(system.steps([finish("r", handoff)]));
    expect(names(file)).toEqual(["request", "start", "info", "finish"]);
    expect(notes(file)[0]).toMatch(/^no handoff: (persona|prompt|backend)/);
  }
});

test.concurrent("a child that can't start says why, in its own file", async () => {
  const file = await system.settled(system.steps([finish("r", { persona: "nobody", facet: "../x" })]));
  const child = await system.settled(childOf(file));
  expect(child.at(-1)).toMatchObject({ event: "error", reason: "config", error: expect.stringContaining("nobody") });
});
