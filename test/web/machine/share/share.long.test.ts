/** Long runs as pages for others: what is cut hides no secret, and the page can be sent. */
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { redactionOf } from "../../../../web/machine/share/redaction.ts";
import { fixtureAgents } from "../../../support/cortex-system.ts";
import { type MachineSystem, startMachine } from "../machine-system.ts";
import { ended, saying, shared } from "./shared-runs.ts";

const own = "a value that only the environment has";

let machine: MachineSystem;
beforeAll(async () => {
  vi.stubEnv("GARDEN_API_KEY", own);
  machine = await startMachine({ settings: fixtureAgents("scripted") });
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await machine[Symbol.asyncDispose]();
});

test("a secret at the place where a text is cut is found whole", async () => {
  const redact = redactionOf({ secrets: [own], homes: [], hosts: [] });
  expect(redact(`${"a".repeat(4000)}${own}`)).toBe(`${"a".repeat(4000)}***`);
  for (const before of [3990, 4000 - own.length + 1, 12_180, 12_192 - 5]) {
    const { html } = await shared(
      machine,
      await ended(machine, saying([`${" .".repeat(before / 2)}${own}${"b".repeat(20_000)}`])),
    );
    for (let length = 6; length < own.length; length++) expect(html).not.toContain(own.slice(0, length));
    expect(html).toContain("more characters are left out");
  }
});

test("a large run has a page that can be sent", async () => {
  const steps = [
    { ev: { event: "tool_end", call_id: "c", tool: "bash", args: {}, result: "x".repeat(3000) }, times: 3000 },
    { long: 1_000_000 },
    { ev: { event: "finish", result: "the end" } },
  ];
  const { html } = await shared(machine, await ended(machine, JSON.stringify(steps)));
  expect(html.length).toBeLessThan(2_000_000);
  expect(html).toMatch(/[\d,]+ later steps are left out/);
  expect(html).toContain("the end");
});
