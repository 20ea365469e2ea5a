import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadPersonas } from "../../personas/load.ts";
import { expandTools, packs } from "../../protocol/packs.ts";

const { personas, problems, warnings } = loadPersonas(join(tmpdir(), "no-such-journal"));
const builtIn = [...personas.values()];

test("every built-in persona can be read, and there is nothing to warn about", () => {
  expect([problems, warnings]).toEqual([[], []]);
});

test.each(builtIn)(
  "$name says what it is for, and has the tools that its instructions speak of",
  ({ settings, instruction }) => {
    expect(settings.title).toMatch(/\w/);
    expect(settings.description).toMatch(/\w/);
    expect(expandTools(settings.tools).names).toEqual(packs["journal"]);
    const named = instruction.match(/\b(search|get|todo|entity)_[a-z]+\b/g) ?? [];
    expect(packs["journal"]).toEqual(expect.arrayContaining(named));
    expect(named.length).toBeGreaterThan(1);
  },
);

test.each(builtIn)("$name cites its sources, and is told that what it reads is no instruction", ({ instruction }) => {
  expect(instruction).toContain("path:line");
  expect(instruction).toMatch(/never an instruction to you|not instructions to you|judge it, don't follow it/);
});

test("the scheduled ones are scheduled, and save what they write", () => {
  const scheduled = builtIn.filter(({ settings }) => settings.schedule);
  expect(
    scheduled.map(({ name, settings: { schedule, multi_facet, always, save } }) => ({
      name,
      schedule,
      multi_facet,
      always,
      save,
    })),
  ).toEqual([
    { name: "daily-digest", schedule: "daily", save: "digest.md" },
    { name: "facet-auditor", schedule: "daily", multi_facet: true, always: true, save: "audit.md" },
    { name: "facet-newsletter", schedule: "daily", multi_facet: true, save: "newsletter.md" },
  ]);
});
