/** The one line that a run's subprocess reads: settings, persona and request merged, and what only cortex knows. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readToken } from "../../../journal/access/tokens.ts";
import type { RunConfig } from "../../../protocol/runs/run-config.ts";
import { CortexSystem, fixtureAgents } from "../../support/cortex-system.ts";

const mcpUrl = "http://127.0.0.1:9/mcp";
const { backends } = fixtureAgents("scripted", "forever");
const system = await CortexSystem.start({
  env: { CORTEX_TZ: "Pacific/Kiritimati" }, // 14 hours ahead
  settings: {
    backends,
    default_backend: "scripted",
    default_model: { scripted: "of-settings" },
    limits: { timeout_seconds: 100, max_turns: 7 },
    max_attempts: 2,
  },
  files: {
    // Where the tools are, as their server says it when it's ready.
    ".run/programs/mcp-tools.json": JSON.stringify({ pid: 1, url: mcpUrl }),
    "facets/garden/facet.json": '{"title":"The garden","description":"Beds and seeds."}',
    "personas/gardener.txt": "You garden.",
    "personas/gardener.json": JSON.stringify({
      title: "Gardener",
      schedule: "daily",
      model: "of-persona",
      max_tokens: 11,
      timeout_seconds: 50,
      tools: ["get_facet"],
      colour: "green",
    }),
  },
});
afterAll(() => system[Symbol.asyncDispose]());

const configOf = async (fields: Record<string, unknown>, id = system.nextId()): Promise<RunConfig> => {
  const file = await system.settled(system.steps([{ config: true }], fields, id));
  return JSON.parse(String(file.find(({ event }) => event === "finish")?.["result"]));
};

test.concurrent("a bare request has the defaults, and what only cortex knows", async () => {
  const id = "1736375400000"; // 22:30 in London, the day after on the other side of the world
  const config = await configOf({}, id);
  expect(config).toEqual({
    agent_id: id,
    attachments_folder: join(system.journal, "attachments"),
    attempt: 1,
    persona: "default",
    backend: "scripted",
    model: "of-settings",
    day: "20250109",
    prompt: '[{"config":true}]',
    history: [],
    timeout_seconds: 100,
    max_turns: 7,
    tools: ["search_journal", "get_events", "get_facet", "get_resource"],
    instruction: readFileSync("personas/default.txt", "utf8").trim(),
    extra_context: expect.stringContaining("The day in question: 20250109"),
    mcp_server_url: mcpUrl,
    mcp_token: "***", // its own, which nobody else may read
  });
});

test.concurrent("the persona wins over the settings, the request over the persona, and null over nothing", async () => {
  const ofPersona = await configOf({ persona: "gardener", model: null, max_tokens: null, timeout_seconds: null });
  expect(ofPersona).toMatchObject({ instruction: "You garden.", model: "of-persona", max_tokens: 11, colour: "green" });
  expect(ofPersona).toMatchObject({ timeout_seconds: 50, max_turns: 7, tools: ["get_facet"] });
  const ofRequest = await configOf({ persona: "gardener", model: "mine", max_tokens: 12, tools: "journal" });
  expect(ofRequest).toMatchObject({ model: "mine", max_tokens: 12, timeout_seconds: 50 });
  expect(ofRequest.tools).toHaveLength(4);
  for (const key of ["title", "schedule"]) expect(ofRequest).not.toHaveProperty(key);
});

test.concurrent("unknown fields pass through as they are, and an info event names them, and only them", async () => {
  const id = system.nextId();
  const config = await configOf({ flavour: { deep: [null, 1] }, temperature: 0.5 }, id);
  expect(config).toMatchObject({ flavour: { deep: [null, 1] }, temperature: 0.5 });
  const notes = system.file(id).filter(({ event }) => event === "info");
  expect(notes).toHaveLength(1);
  expect(notes[0]?.["message"]).toMatch(/unknown fields.*: flavour$/);
});

test.concurrent("fields for cortex alone aren't passed on, and cortex's own can't be given from outside", async () => {
  const config = await configOf({
    env: { A: "1" },
    priority: 3,
    save: "x.md",
    handoff: { prompt: "" },
    event: "request",
    attempt: 9,
    history: "forged",
    instruction: "forged",
    extra_context: "forged",
    mcp_token: "forged",
  });
  for (const key of ["env", "priority", "save", "handoff", "event", "ts"]) expect(config).not.toHaveProperty(key);
  expect(JSON.stringify(config)).not.toContain("forged");
  expect(config.attempt).toBe(1);
});

test.concurrent("a facet and a day are told as context", async () => {
  const config = await configOf({ facet: "garden", day: "20240229" });
  expect(config).toMatchObject({ facet: "garden", day: "20240229" });
  expect(config.extra_context).toContain("The day in question: 20240229");
  expect(config.extra_context).toContain('garden, "The garden"');
  expect(config.extra_context).toContain("Beds and seeds.");
});

test.concurrent("an array of tools is exactly those, each once; an empty text is the default pack", async () => {
  expect((await configOf({ tools: ["get_facet", "get_facet", "read"] })).tools).toEqual(["get_facet", "read"]);
  expect((await configOf({ tools: "" })).tools).toHaveLength(4);
});

test.concurrent("our token goes to our own server alone, and nowhere when there are no tools", async () => {
  const elsewhere = await configOf({ mcp_server_url: "http://elsewhere.test/mcp" });
  expect(elsewhere.mcp_server_url).toBe("http://elsewhere.test/mcp");
  expect(elsewhere).not.toHaveProperty("mcp_token");
  const disabled = await configOf({ disable_mcp: true });
  expect(disabled.tools).toEqual([]);
  expect(disabled).not.toHaveProperty("mcp_server_url");
  expect(disabled).not.toHaveProperty("mcp_token");
});

test.concurrent("a run's token names the run and its tools, is good until its end, and is nobody's to see", async () => {
  const go = join(system.journal, "go-token");
  const id = system.steps([{ ev: { event: "text", text: "here" } }, { await: go }, { config: true }], {
    tools: ["get_facet"],
  });
  await system.heard(id, "text");
  const line: RunConfig = JSON.parse(readFileSync(join(system.journal, ".run/runs", id, "1/in/1"), "utf8"));
  const token = line.mcp_token ?? "";
  expect(await readToken(system.journal, token)).toMatchObject({ agent_id: id, tools: ["get_facet"] });
  expect(JSON.stringify(system.of(id))).not.toContain(token);
  writeFileSync(go, "");
  await system.settled(id);
  expect(await readToken(system.journal, token)).toBe(null);
  expect(system.log).not.toContain(token);
});

test.concurrent("a token ends with its run also when that is cancelled", async () => {
  const id = system.request({ prompt: "x", backend: "forever" });
  await system.heard(id, "start");
  const line: RunConfig = JSON.parse(readFileSync(join(system.journal, ".run/runs", id, "1/in/1"), "utf8"));
  expect(await readToken(system.journal, line.mcp_token ?? "")).toMatchObject({ agent_id: id });
  system.cancel(id);
  await system.settled(id);
  expect(await readToken(system.journal, line.mcp_token ?? "")).toBe(null);
});
