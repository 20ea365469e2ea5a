import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { wireName as anthropicName } from "../../../backends/anthropic/wire-names.ts";
import { toolsOf as googleTools } from "../../../backends/google/tools.ts";
import { wireName as openaiName } from "../../../backends/openai/endpoint/wire-tools.ts";
import { readToolCatalog } from "../../../journal/programs/tool-catalog.ts";
import type { AgentEvent } from "../../../protocol/runs/event.ts";
import { CortexSystem } from "../../support/cortex-system.ts";
import { playAnthropic } from "../../support/providers/anthropic.ts";
import { playGoogle } from "../../support/providers/google.ts";
import { playOpenai } from "../../support/providers/openai.ts";
import type { Play, PlayedServer, Reply } from "../../support/providers/played.ts";
import { startTools, type ToolsServer } from "../tools-server.ts";

const path = (relative: string) => fileURLToPath(new URL(`../../../${relative}`, import.meta.url));
const everything = path("node_modules/@modelcontextprotocol/server-everything/dist/index.js");
const filesystem = path("node_modules/@modelcontextprotocol/server-filesystem/dist/index.js");

/** Names with dots are none to the providers: each has its own way to write them. */
const wireNames: Record<string, (tool: string) => string> = {
  openai: openaiName,
  anthropic: anthropicName,
  google: (name) => googleTools([{ name, description: "", schema: {} }]).nameOf(name),
};
const plays: Record<string, Play> = { openai: playOpenai, anthropic: playAnthropic, google: playGoogle };

type Call = { tool: string; args: Record<string, unknown> };

const file = path("examples/journal/cortex.json");

/** Each list is what a model says in one run: the calls of each turn. All are asked in this order. */
const sumAndRead: Call[][] = [
  [{ tool: "everything.get-sum", args: { a: 2, b: 3 } }],
  [{ tool: "filesystem.read_text_file", args: { path: file } }],
];
const isCalled = join(mkdtempSync(join(tmpdir(), "external-run-")), "called");
const killed: Call[][] = [[{ tool: "fixture.never", args: { note: isCalled } }], [{ tool: "fixture.pid", args: {} }]];
const notGiven: Call[][] = [[{ tool: "everything.get-env", args: {} }]];

function said(backend: string, runs: Call[][][]): Reply[] {
  const wire = wireNames[backend] ?? ((name) => name);
  return runs.flatMap((turns) => [
    ...turns.map((calls) => ({ turn: { calls: calls.map(({ tool, args }) => ({ tool: wire(tool), args })) } })),
    { turn: { text: "done" } },
  ]);
}

const served: Record<string, PlayedServer> = {};
let system: CortexSystem;
let tools: ToolsServer;

beforeAll(async () => {
  for (const [name, play] of Object.entries(plays))
    served[name] = await play(said(name, [sumAndRead, killed, notGiven]));
  system = await CortexSystem.start({
    settings: {
      openai: { api: "responses" },
      mcp_servers: {
        everything: { command: [process.execPath, everything, "stdio"] },
        filesystem: { command: [process.execPath, filesystem, path("examples/journal")] },
        fixture: { command: [process.execPath, path("test/fixtures/mcp/server.ts")] },
        gone: { command: ["nonsuch-program"] },
      },
    },
    env: {
      ANTHROPIC_API_KEY: "sk-test-0123456789",
      ANTHROPIC_BASE_URL: served["anthropic"]?.url ?? "",
      OPENAI_API_KEY: "sk-test-0123456789",
      OPENAI_BASE_URL: served["openai"]?.url ?? "",
      GEMINI_API_KEY: "sk-test-0123456789",
      GOOGLE_GEMINI_BASE_URL: served["google"]?.url ?? "",
    },
  });
  tools = await startTools(system.journal);
  await system.until(async () => {
    const { sources } = await readToolCatalog(system.journal);
    return sources.filter(({ state }) => state === "ready").length === 3;
  }, "the servers that there are are connected");
});

afterAll(async () => {
  await tools.stop();
  await system[Symbol.asyncDispose]();
  for (const server of Object.values(served)) await server[Symbol.asyncDispose]();
  rmSync(dirname(isCalled), { recursive: true });
});

const ends = (events: AgentEvent[]) => events.filter(({ event }) => event === "tool_end");
const infos = (events: AgentEvent[]) =>
  events.filter(({ event }) => event === "info").map(({ message }) => String(message));

test.each(Object.keys(plays))("a run on %s calls tools of external servers by their names", async (backend) => {
  const id = system.request({ prompt: "add", backend, tools: "everything, filesystem" });
  const events = await system.ended(id);
  expect(events.at(-1)).toMatchObject({ event: "finish", result: "done" });
  expect(ends(events)).toMatchObject([
    { tool: "everything.get-sum", args: { a: 2, b: 3 }, is_error: false, result: expect.stringContaining("5") },
    { tool: "filesystem.read_text_file", is_error: false, result: readFileSync(file, "utf8") },
  ]);
  expect(served[backend]?.refusals).toEqual([]);
});

test("a server that is killed in the middle of a call costs that call, and the next one works", async () => {
  const id = system.request({ prompt: "wait", backend: "anthropic", tools: ["fixture.*"] });
  await system.until(() => existsSync(isCalled), "the call is under way");
  const note = readFileSync(join(system.journal, ".run/outside/server-fixture.json"), "utf8");
  process.kill((JSON.parse(note) as { pid: number }).pid, "SIGKILL");
  const events = await system.ended(id);
  expect(ends(events)).toMatchObject([
    { is_error: true, result: expect.stringContaining("went away before it answered") },
    { tool: "fixture.pid", is_error: false, result: expect.stringMatching(/^\d+$/) },
  ]);
});

test("a run has the tools that it names, and hears of those that are missing", async () => {
  const id = system.request({
    prompt: "look",
    backend: "anthropic",
    tools: ["everything.echo", "gone.tool"],
  });
  const events = await system.ended(id);
  expect(ends(events)).toMatchObject([{ is_error: true, result: expect.stringContaining("Tool not found") }]);
  expect(infos(events)).toEqual([
    expect.stringMatching(/the tools of "gone" are missing: its program "nonsuch-program"/),
    expect.stringContaining("gone.tool"),
  ]);
});
