/** The decisions on calls that no rule fits: each case of docs/approvals.md. */
import { expect, test } from "vitest";
import { tools } from "../../../mcp-tools/catalog/packs.ts";
import { usualDecision, whyAsked } from "../../../mcp-tools/permissions/usual.ts";

const ours = [...tools.values()];
const decided = (isWalled: boolean) =>
  ours.map(({ name, annotations }) => [name, usualDecision({ tool: name, isOurs: true, isWalled, annotations })]);

test("our own tools are allowed, those that change and destroy something too", () => {
  expect(ours.some(({ annotations }) => annotations.destructiveHint)).toBe(true);
  expect(decided(true).filter(([, decision]) => decision !== "allow")).toEqual([]);
});

test("what hands text to a shell is asked about without a sandbox, and nothing else of ours is", () => {
  expect(decided(false).filter(([, decision]) => decision !== "allow")).toEqual([
    ["bash", "ask"],
    ["process_input", "ask"],
  ]);
});

test.each([
  ["says nothing of itself", undefined, "allow"],
  ["says that it may destroy something", { destructiveHint: true }, "ask"],
  ["says that it destroys nothing", { destructiveHint: false }, "allow"],
  ["says that it only reads", { readOnlyHint: true }, "allow"],
  ["says that it only reads, and may destroy something", { readOnlyHint: true, destructiveHint: true }, "allow"],
] as const)("an outside tool that %s", (_, annotations, decision) => {
  for (const isWalled of [true, false])
    for (const tool of ["tracker.close", "bash"])
      expect(usualDecision({ tool, isOurs: false, isWalled, annotations })).toBe(decision);
});

test("whoever is asked reads why", () => {
  const call = { tool: "tracker.close", isOurs: false, isWalled: true };
  const every = { tool: "*", decide: "ask" } as const;
  expect(whyAsked(call, undefined)).toBe("tracker.close says that it may destroy something");
  expect(whyAsked({ tool: "bash", isOurs: true, isWalled: false }, undefined)).toBe("what it runs isn't in a sandbox");
  expect(whyAsked(call, every)).toBe("a rule asks about every tool");
  expect(whyAsked(call, { ...every, tool: "get_resource", match: "20250111/*" })).toBe(
    "a rule asks about get_resource with 20250111/*",
  );
});
