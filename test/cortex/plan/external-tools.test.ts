import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeEach, expect, test } from "vitest";
import { decideHandoff } from "../../../cortex/plan/handoff.ts";
import { planRun } from "../../../cortex/plan/merge.ts";
import { noExternalTools, externalTools } from "../../../cortex/plan/external-tools.ts";
import { type ToolSource, writeToolCatalog } from "../../../journal/programs/tool-catalog.ts";
import type { Persona, PersonaSettings } from "../../../protocol/settings/persona.ts";
import type { Request } from "../../../protocol/runs/request/request.ts";
import type { Settings } from "../../../protocol/settings/settings.ts";

const journal = mkdtempSync(join(tmpdir(), "outside-"));
afterAll(() => rmSync(journal, { recursive: true }));
cpSync(fileURLToPath(new URL("../../../examples/apps/units", import.meta.url)), join(journal, "apps/units"), {
  recursive: true,
});

const ready = (name: string, ...tools: string[]): ToolSource => ({
  name,
  kind: "server",
  state: "ready",
  error: null,
  tools: tools.map((tool) => `${name}.${tool}`),
  problems: [],
});
const settings: Settings = {
  mcp_servers: { math: { command: ["x"] }, gone: { command: ["y"] }, late: { command: ["z"] } },
};
const sources: ToolSource[] = [
  ready("math", "sum", "product"),
  ready("units", "convert"),
  { ...ready("gone"), state: "failed", error: "out of paper" },
];
beforeEach(() => writeToolCatalog(journal, { sources }));

const look = (tools: Request["tools"], more: Partial<Request> = {}) =>
  externalTools(journal, { prompt: "x", tools, ...more }, settings);

test("built-in packs and tools need no look at the catalogue", async () => {
  rmSync(join(journal, ".run"), { recursive: true });
  for (const tools of [undefined, "journal, default", ["get_facet"], []])
    expect(await look(tools)).toEqual(noExternalTools);
});

test("a server's name stands for its tools, an app's for its own, and apps for all of those", async () => {
  expect(await look("journal, math")).toMatchObject({ packs: { math: ["math.sum", "math.product"] }, notes: [] });
  expect(await look("apps")).toMatchObject({ packs: { units: ["units.convert"], apps: ["units.convert"] }, notes: [] });
});

test.each([
  ["gone", ['the tools of "gone" are missing: out of paper (see cortex tools list)']],
  [["gone.x"], ['the tools of "gone" are missing: out of paper (see cortex tools list)']],
  [["math.sum", "math.*"], []],
  ["gone.x", ['the tools of "gone" are missing: out of paper (see cortex tools list)']],
  ["math.sum", []],
  ["nobody", []], // an unknown pack, of which the request hears as of any other
])("%j is told: %j", async (tools, notes) => {
  expect((await look(tools as Request["tools"])).notes).toEqual(notes);
});

test.each<[Request["tools"], string[], string | null]>([
  ["math.sum, todo", ["math.sum", "todo_list"], null],
  [["math.sum"], ["math.sum"], null],
  // Declared, and not connected: that isn't unknown.
  ["gone.anything", ["gone.anything"], null],
  ["gone", [], null],
  ["math.sun", [], '"math.sun" (did you mean "math.sum"?)'],
  [["math.root"], [], '"math.root"'],
  ["mth.sum", [], '"mth.sum" (did you mean "math.sum"?)'],
  ["mats", [], '"mats" (did you mean "math"?)'],
  ["nobody.x", [], '"nobody.x"'],
])("%j names %j, or is refused: %s", async (tools, expected, problem) => {
  const request = { prompt: "x", tools };
  const persona: Persona = { name: "p", instruction: "Be.", settings: {}, source: "journal", path: "" };
  const external = await externalTools(journal, request, settings);
  const around = { settings, persona, defaultBackend: "offline", timeZone: "UTC", external };
  const plan = () =>
    planRun("1736380800000", request, { ...around, resources: { max_memory_mb: 1000, max_processes: 100 } });
  if (problem !== null) return expect(plan).toThrow(problem);
  expect(plan().tools).toEqual(expect.arrayContaining(expected));
  if (expected.length === 1) expect(plan().tools).toEqual(expected);
});

test("a server that was there a moment ago keeps its tools, and the run is told", async () => {
  await writeToolCatalog(journal, { sources: [{ ...ready("math", "sum"), state: "failed", error: "it fell" }] });
  expect(await look("math")).toMatchObject({
    packs: { math: ["math.sum"] },
    notes: ['"math" isn\'t there at the moment, and its tools may fail: it fell'],
  });
});

test("a server that is being connected is waited for", async () => {
  const looking = look("late");
  await writeToolCatalog(journal, { sources: [{ ...ready("late"), state: "connecting" }] });
  await writeToolCatalog(journal, { sources: [ready("late", "train")] });
  expect(await looking).toMatchObject({ packs: { late: ["late.train"] }, notes: [] });
});

test("a run without tools, or with a server of its own, isn't kept waiting", async () => {
  expect(await look("late", { disable_mcp: true })).toEqual(noExternalTools);
  expect(await look(["late.x"], { mcp_server_url: "http://127.0.0.1:1/" })).toEqual(noExternalTools);
});

test("the pack apps is empty without any app, and the run is told", async () => {
  const empty = join(journal, "other");
  mkdirSync(empty);
  writeFileSync(join(empty, "cortex.json"), "{}");
  expect(await externalTools(empty, { prompt: "x", tools: "apps" }, {})).toMatchObject({
    packs: { apps: [] },
    notes: ['no tools in the pack "apps": the journal has no apps'],
  });
});

/** A run of a persona with these settings, and its child's tools when it hands off to another persona. */
async function childTools(parent: PersonaSettings, child: PersonaSettings): Promise<string[]> {
  const persona = (name: string, of: PersonaSettings): Persona => ({
    name,
    instruction: "Be.",
    settings: of,
    source: "journal",
    path: "",
  });
  const plan = async (request: Request, of: Persona) => {
    const external = await externalTools(journal, { ...of.settings, ...request }, settings);
    const around = {
      settings,
      persona: of,
      defaultBackend: "offline",
      timeZone: "UTC",
      external,
      resources: { max_memory_mb: 1000, max_processes: 100 },
    };
    return planRun("1736380800000", request, around);
  };
  const { config, tools, day, env, limits, stream } = await plan({ prompt: "x" }, persona("parent", parent));
  const resolved = { ...config, ...limits, persona: "parent", backend: "offline", day, tools, env, stream };
  const { child: request } = decideHandoff(
    { event: "finish", result: "done", handoff: { persona: "child", tools: ["gone.x", "math.product"] } },
    undefined,
    { agentId: "1736380800000", resolved, chainLength: 1, left: {} },
    () => persona("child", child),
  );
  return (await plan(request as Request, persona("child", child))).tools;
}

test("a child has its parent's tools of external servers, and more only if its persona says so", async () => {
  expect(await childTools({ tools: ["math.sum"] }, {})).toEqual(["math.sum"]);
  expect(await childTools({ tools: "math" }, {})).toEqual(["math.sum", "math.product"]);
  expect(await childTools({ tools: ["math.sum"] }, { tools: "units" })).toEqual(["units.convert"]);
});
