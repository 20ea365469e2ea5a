import { expect, test } from "vitest";
import { decideHandoff, type Parent } from "../../../cortex/plan/handoff.ts";
import { maxChain } from "../../../cortex/plan/chain.ts";
import type { Persona } from "../../../protocol/settings/persona.ts";
import { Trust } from "../../../protocol/runs/request/trust.ts";
import type { Handoff } from "../../../protocol/runs/request/request.ts";

const personas: Record<string, Persona["settings"]> = {
  plain: {},
  rich: { backend: "b2", model: "m2", tools: "journal", timeout_seconds: 1000, max_cost_usd: 0.1, facet: "home" },
};
const personaOf = (name: string): Persona | undefined =>
  personas[name] && { name, instruction: "", settings: personas[name], source: "journal", path: "" };
const parent = (fields: Partial<Parent> = {}, resolved: Record<string, unknown> = {}): Parent => ({
  agentId: "1736380800000",
  chainLength: 1,
  left: {},
  resolved: {
    persona: "plain",
    backend: "b1",
    model: "m1",
    tools: ["t"],
    day: "20250109",
    ...resolved,
  },
  ...fields,
});
const decide = (finish: Record<string, unknown>, planned?: Handoff, of = parent()) =>
  decideHandoff({ event: "finish", result: "the result", ...finish }, planned, of, personaOf);

test("a result without a handoff has no child, and there is nothing to say", () => {
  expect(decide({})).toEqual({ child: null, notes: [] });
  expect(decide({ handoff: null })).toEqual({ child: null, notes: [] });
  expect(decide({ handoff: "reviewer" })).toEqual({ child: null, notes: [] });
});

test("the prompt is the handoff's, else the result; of nothing there is no child", () => {
  expect(decide({ handoff: { prompt: "next" } }).child?.prompt).toBe("next");
  expect(decide({ handoff: { prompt: " " } }).child?.prompt).toBe("the result");
  expect(decide({ result: " " }, { persona: "plain" })).toEqual({
    child: null,
    notes: ["no handoff: the result is empty"],
  });
});

test("the agent's wins over the planned one, and may say seven things", () => {
  const wanted = { persona: "plain", prompt: "p", backend: "b3", model: "m3", save: "s", day: "20250101", facet: "f" };
  const { child, notes } = decide({ handoff: { ...wanted, tools: ["all"], env: { A: "1" } } }, { prompt: "planned" });
  expect(child).toMatchObject({ ...wanted, tools: ["t"], handoff_from: "1736380800000" });
  expect(child).not.toHaveProperty("env");
  expect(notes).toEqual(["an agent's handoff may not set tools, env: left out"]);
});

test("a human's handoff may say everything", () => {
  const wanted: Handoff = { prompt: "p", tools: ["all"], env: { A: "1" }, priority: 1, handoff: { persona: "plain" } };
  expect(decide({}, wanted).child).toMatchObject(wanted);
});

test("a child has what its parent came to, but not what only its parent was asked", () => {
  const own = { save: "x", handoff_from: "1", continue_from: "2", instruction: "i", extra_context: "c", history: [] };
  const { child } = decide({}, { persona: "plain" }, parent({}, { ...own, env: { A: "1" }, facet: "f", flavour: 1 }));
  expect(child).toMatchObject({
    backend: "b1",
    model: "m1",
    tools: ["t"],
    day: "20250109",
    env: { A: "1" },
    flavour: 1,
  });
  for (const key of ["save", "continue_from", "instruction", "extra_context", "history"])
    expect(child).not.toHaveProperty(key);
});

test("the child's persona stands between its handoff and its parent", () => {
  const { child } = decide({}, { persona: "rich" }, parent({}, { facet: "f" }));
  // What the persona sets is left to it; its model belongs to its backend.
  for (const key of ["backend", "model", "tools", "facet"]) expect(child).not.toHaveProperty(key);
  expect(decide({}, { persona: "rich", backend: "b1" }).child).toMatchObject({ backend: "b1" });
});

test("a model goes only to the same backend", () => {
  expect(decide({}, { persona: "plain", backend: "b2" }).child).not.toHaveProperty("model");
  expect(decide({}, { persona: "plain", backend: "b1" }).child).toMatchObject({ model: "m1" });
});

test("limits never rise, and what was spent is gone", () => {
  const above = parent(
    { left: { max_cost_usd: 0.5, max_total_tokens: 10 } },
    {
      timeout_seconds: 60,
      idle_timeout_seconds: 50,
      max_cost_usd: 1,
      max_total_tokens: 100,
      max_turns: 5,
      max_attempts: 2,
    },
  );
  const greedy: Handoff = { timeout_seconds: 999, idle_timeout_seconds: 10, max_cost_usd: 9, max_total_tokens: 999 };
  expect(decide({}, { ...greedy, max_turns: 50, max_attempts: 9 }, above).child).toMatchObject({
    timeout_seconds: 60,
    idle_timeout_seconds: 10,
    max_cost_usd: 0.5,
    max_total_tokens: 10,
    max_turns: 5,
    max_attempts: 2,
  });
  expect(decide({}, { persona: "rich" }, above).child).toMatchObject({ timeout_seconds: 60, max_cost_usd: 0.1 });
});

test("a chain is at most 16 long", () => {
  expect(maxChain).toBe(16);
  expect(decide({ handoff: {} }, undefined, parent({ chainLength: 15 })).child).not.toBe(null);
  const last = decide({ handoff: {} }, undefined, parent({ chainLength: 16 }));
  expect(last).toEqual({ child: null, notes: [expect.stringContaining("16 runs long")] });
});

test("along a chain no wall gets wider, whatever the handoff says", () => {
  const walled = parent({}, { sandbox: "required", network: ["a.org"] });
  expect(decide({}, { prompt: "p", sandbox: "off", network: ["a.org", "b.org"] }, walled).child).toMatchObject({
    sandbox: "required",
    network: ["a.org"],
  });
  expect(decide({}, { prompt: "p", network: [] }, walled).child).toMatchObject({ network: [] });
  expect(decide({}, { prompt: "p" }).child).not.toHaveProperty("sandbox");
});

test("along a chain a workspace's trust stays as it is, whatever the handoff says", () => {
  const trust = Trust.parse({ level: 0 });
  const other = Trust.parse({ level: 3, autonomous: ["*"] });
  expect(decide({}, { prompt: "p", trust: other }, parent({}, { trust })).child).toMatchObject({ trust });
  expect(decide({}, { prompt: "p" }).child).not.toHaveProperty("trust");
});
