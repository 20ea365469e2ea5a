import { expect, test } from "vitest";
import { ConfigError } from "../../../cortex/model/config-error.ts";
import { planRun } from "../../../cortex/plan/merge.ts";
import type { PersonaSettings } from "../../../protocol/settings/persona.ts";
import { Limits, type Request } from "../../../protocol/runs/request/request.ts";
import { Trust } from "../../../protocol/runs/request/trust.ts";
import type { Settings } from "../../../protocol/settings/settings.ts";

const id = "1736380800000";
const plan = (request: Partial<Request>, persona: PersonaSettings = {}, settings: Settings = {}, timeZone = "UTC") =>
  planRun(
    id,
    { prompt: "x", ...request },
    {
      settings: {
        backends: {
          own: { command: ["x"] },
          other: { command: ["y"] },
        },
        ...settings,
      },
      persona: {
        name: "p",
        instruction: "Be.",
        settings: persona,
        source: "journal",
        path: "personas/p.txt",
      },
      defaultBackend: "own",
      resources: { max_memory_mb: 1000, max_processes: 100 },
      timeZone,
    },
  );

test("defaults: 600 s of wall clock, 180 s of silence, 3 attempts, the journal's tools", () => {
  expect(plan({})).toMatchObject({
    limits: {
      timeout_seconds: 600,
      idle_timeout_seconds: 180,
      max_attempts: 3,
    },
    persona: "p",
    model: undefined,
    day: "20250109",
    stream: false,
    env: {},
    save: undefined,
    notes: [],
  });
  expect(plan({}).tools).toHaveLength(4);
});

test("settings, then the persona, then the request", () => {
  const settings: Settings = { limits: { timeout_seconds: 1, max_total_tokens: 1, max_turns: 1 }, max_attempts: 5 };
  const { limits, config } = plan({ max_total_tokens: 3 }, { max_total_tokens: 2, timeout_seconds: 2 }, settings);
  expect(limits).toEqual({
    timeout_seconds: 2,
    idle_timeout_seconds: 180,
    max_attempts: 5,
    max_output_bytes: 1024 ** 3,
    max_total_tokens: 3,
  });
  expect(config).toMatchObject({ max_turns: 1, instruction: "Be.", persona: "p", backend: "own" });
});

test("neither a persona nor a request raises what settings allow of the machine and of output", () => {
  const names = ["max_memory_mb", "max_processes", "max_open_files", "max_cpu_seconds", "max_output_bytes"] as const;
  const all = (value: number) => Object.fromEntries(names.map((name) => [name, value]));
  const settings: Settings = { limits: all(100) };
  expect(plan(all(200), {}, settings).limits).toMatchObject(all(100));
  expect(plan({}, all(200), settings).limits).toMatchObject(all(100));
  expect(plan(all(200), {}, settings).notes).toContain("max_output_bytes is 100, not 200: no run may have more here");
  expect(plan(all(50), {}, settings).limits).toMatchObject(all(50));
  expect(plan(all(50), all(20), settings).limits).toMatchObject(all(20));
  expect(plan({ max_output_bytes: 2 * 1024 ** 3 }).limits.max_output_bytes).toBe(1024 ** 3);
});

test("a persona's model counts only with the persona's backend, a setting's only with its own", () => {
  const settings: Settings = { default_model: { other: "of-settings" } };
  expect(plan({}, { model: "m" }, settings).model).toBe("m");
  expect(plan({ backend: "other" }, { model: "m" }, settings).model).toBe("of-settings");
  expect(plan({ backend: "other", model: "mine" }, { model: "m" }, settings).model).toBe("mine");
  expect(plan({}, { backend: "other", model: "m" }, settings)).toMatchObject({
    model: "m",
    backend: { name: "other" },
  });
});

test("a declared backend wins over a built-in one of its name", () => {
  const settings: Settings = { backends: { offline: { command: ["mine"] } } };
  expect(plan({ backend: "offline" }, {}, settings).backend).toMatchObject({ kind: "declared" });
  expect(plan({ backend: "offline" }).backend).toMatchObject({ kind: "built-in" });
});

test("the day is the local one of the id", () => {
  expect(plan({}, {}, {}, "America/New_York").day).toBe("20250108");
  expect(plan({ day: "20240229" }, {}, {}, "America/New_York").day).toBe("20240229");
});

test.each([
  [{ backend: "opnai" }, 'backend "opnai": known backends are'],
  [{ backend: "toString" }, "toString"],
  [{ facet: "Garden" }, 'facet "Garden"'],
  [{ day: "2025-01-09" }, 'day "2025-01-09"'],
  [{ day: "20250229" }, 'day "20250229"'],
  [{ save: "../x" }, 'save "../x"'],
  [{ save: "a//b" }, 'save "a//b"'],
  [{ save: "C:\\x" }, "save"],
  [{ env: { LD_PRELOAD: "x", PATH: "y" } }, "env may not set LD_PRELOAD, PATH"],
] as [Partial<Request>, string][])("%j can't start", (request, message) => {
  expect(() => plan(request)).toThrow(ConfigError);
  expect(() => plan(request)).toThrow(message);
});

test("unknown fields are named, known ones and a persona's aren't", () => {
  expect(plan({ flavour: 1, colour: 2, temperature: 1 }).notes).toEqual([
    "unknown fields, passed to the backend as they are: flavour, colour",
  ]);
  expect(plan({}, { colour: "green" }).notes).toEqual([]);
});

test("a run without MCP has no tools, whatever was asked for", () => {
  expect(plan({ disable_mcp: true, tools: ["a"] }).tools).toEqual([]);
  expect(plan({ tools: ["read", "read", "grep"] }).tools).toEqual(["read", "grep"]);
});

test.each<[Partial<Request>, PersonaSettings, string]>([
  [{ tools: "jornal" }, {}, 'unknown name in tools: "jornal" (did you mean "journal"?); known are journal, todo,'],
  [
    { tools: "todo, entites, nonsense" },
    {},
    'unknown names in tools: "entites" (did you mean "entities"?), "nonsense";',
  ],
  [{ tools: ["search_jornal"] }, {}, '"search_jornal" (did you mean "search_journal"?); see cortex tools list'],
  [{ tools: "nobody.x" }, {}, '"nobody.x"'],
  [{}, { tools: "tody" }, '"tody" (did you mean "todo"?)'],
])("%j of a request and %j of a persona can't start: %s", (request, persona, message) => {
  expect(() => plan(request, persona)).toThrow(ConfigError);
  expect(() => plan(request, persona)).toThrow(message);
});

test("a tool that has gone since it was handed on, or given to an agent, is told and keeps nobody from starting", () => {
  for (const more of [{ handoff_from: id }, { agent: "tz4a98xxat96iws9zmbrgj3a" }])
    expect(plan({ tools: ["read", "gone_tool"], ...more })).toMatchObject({
      tools: ["read", "gone_tool"],
      notes: [expect.stringContaining('"gone_tool"')],
    });
  expect(plan({ tools: ["theirs"], mcp_server_url: "http://127.0.0.1:1/" })).toMatchObject({
    tools: ["theirs"],
    notes: [],
  });
});

test("a backend is told of no more turns than its tree has left, and leaves one for its answer", () => {
  const turns = (request: Partial<Request>) => plan(request).config["max_turns"];
  expect(turns({ max_total_turns: 10 })).toBe(9);
  expect(turns({ max_total_turns: 10, max_turns: 3 })).toBe(3);
  expect(turns({ max_total_turns: 1000 })).toBe(50);
  expect(turns({ max_total_turns: 1 })).toBe(1);
  expect(turns({ max_turns: 80 })).toBe(80);
  expect(turns({})).toBe(undefined);
});

test("every limit of a request is one of its run, but for max_turns, which is its backend's", () => {
  const all = Object.fromEntries(Object.keys(Limits.shape).map((name, index) => [name, 90 + index]));
  const { limits, config } = plan(all, {}, { limits: { max_memory_mb: 1000 } });
  const { max_turns, ...ofCortex } = all;
  expect(limits).toEqual(ofCortex);
  expect(config["max_turns"]).toBe(Math.min(max_turns ?? 0, Number(all["max_total_turns"]) - 1));
});

test("a run reaches what the settings name, less what its persona and its request leave out, and is told of the rest", () => {
  const settings: Settings = { network: ["*.example.org", "npmjs.org"] };
  expect(plan({}).network).toEqual([]);
  expect(plan({}, {}, settings)).toMatchObject({ network: ["*.example.org", "npmjs.org"], notes: [] });
  const narrowed = plan({ network: ["a.example.org", "evil.org"] }, { network: ["*.example.org"] }, settings);
  expect(narrowed.network).toEqual(["a.example.org"]);
  expect(narrowed.notes).toEqual(['network: evil.org: not in "network" of cortex.json, so it can\'t be reached']);
  expect(narrowed.config).not.toHaveProperty("network");
});

const modes = ["off", "preferred", "required"] as const;

test.each([undefined, ...modes])(
  "settings' sandbox %s is tightened by a persona and a request, and never loosened",
  (ofSettings) => {
    const from = modes.indexOf(ofSettings ?? "required");
    for (const ofPersona of [undefined, ...modes])
      for (const ofRequest of [undefined, ...modes]) {
        const wanted = [ofPersona, ofRequest].map((mode) => (mode === undefined ? -1 : modes.indexOf(mode)));
        const request = ofRequest === undefined ? {} : { sandbox: ofRequest };
        const persona = ofPersona === undefined ? {} : { sandbox: ofPersona };
        const settings = ofSettings === undefined ? {} : { sandbox: ofSettings };
        expect(plan(request, persona, settings)).toMatchObject({
          sandbox: modes[Math.max(from, ...wanted)],
          isWalled: false, // where it runs isn't known yet
        });
      }
  },
);

test("a sandbox is required where nobody says anything, whatever else is asked for", () => {
  for (const more of [{}, { tools: ["bash"] }, { folder: "/home/ada/code" }])
    expect(plan(more).sandbox).toBe("required");
  // Spelt out, for whoever reads the table above.
  expect(plan({ sandbox: "off" }, { sandbox: "off" }).sandbox).toBe("required");
  expect(plan({ sandbox: "off" }, { sandbox: "preferred" }, { sandbox: "off" }).sandbox).toBe("preferred");
  expect(plan({ sandbox: "required" }, {}, { sandbox: "off" }).sandbox).toBe("required");
});

test("a provider's own search is off where rules ask about web_search or deny it, whoever's they are", () => {
  const config = (ofPersona: PersonaSettings["permissions"], ofSettings: PersonaSettings["permissions"] = []) =>
    plan({ tools: "web" }, { permissions: ofPersona }, { permissions: ofSettings }).config["provider_search"];
  expect(config([])).toBeUndefined();
  expect(config([{ tool: "bash", decide: "deny" }], [{ tool: "web", decide: "allow" }])).toBeUndefined();
  expect(config([{ tool: "web_search", decide: "allow" }], [{ tool: "*", decide: "deny" }])).toBeUndefined();
  expect(config([{ tool: "web", decide: "ask" }])).toBe(false);
  expect(config([], [{ tool: "web_search", match: "*secret*", decide: "deny" }])).toBe(false);
  expect(config([{ tool: "web_search", match: "weather *", decide: "allow" }], [{ tool: "*", decide: "ask" }])).toBe(
    false,
  );
  expect(plan({ tools: "journal" }, { permissions: [{ tool: "*", decide: "ask" }] }).config).not.toHaveProperty(
    "provider_search",
  );
});

test("a provider's own search is off where the trust in an agent has somebody asked about web_search", () => {
  const config = (trust: Partial<Trust>) =>
    plan({ tools: "web", trust: Trust.parse({ level: 1, ...trust }) }).config["provider_search"];
  expect(config({})).toBeUndefined();
  expect(config({ approve: ["journal"] })).toBeUndefined();
  for (const trust of [{ level: 0 as const }, { approve: ["web"] }, { escalate: ["web_search"] }])
    expect(config(trust)).toBe(false);
});
