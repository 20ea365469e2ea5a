import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadPersonas } from "../../personas/load.ts";
import { tools } from "../../mcp-tools/catalog/packs.ts";
import { allTools, expandTools, packs } from "../../protocol/settings/packs.ts";

const { personas, problems, warnings } = loadPersonas(join(tmpdir(), "no-such-journal"));
/** The personas that answer from the journal. What long-lived agents are told is put together in `agents/prompt/`. */
const builtIn = [...personas.values()].filter(({ name, settings }) => name !== "main" && !settings.task);
const isWriting = (name: string) => tools.get(name)?.annotations.readOnlyHint === false;

test("every built-in persona can be read, and there is nothing to warn about", () => {
  expect([problems, warnings]).toEqual([[], []]);
});

test.each(builtIn)(
  "$name says what it is for, and has the tools that its instructions speak of",
  ({ settings, instruction }) => {
    expect(settings.title).toMatch(/\w/);
    expect(settings.description).toMatch(/\w/);
    const { names, unknown } = expandTools(settings.tools);
    expect(unknown).toEqual([]);
    expect(allTools).toEqual(expect.arrayContaining(names));
    expect(names).toEqual(expect.arrayContaining([...(packs["journal"] ?? [])]));
    const named = instruction.match(/\b(search|get|list|todo|facet|entity)_[a-z_]+\b/g) ?? [];
    expect(names).toEqual(expect.arrayContaining(named));
    // What they have beyond reading the journal, they are told what for.
    expect(named).toEqual(expect.arrayContaining(names.filter((name) => isWriting(name))));
    expect(named.length).toBeGreaterThan(1);
  },
);

test("the sub-agents that come with cortex are described, and have the tools that their instructions speak of", () => {
  const tasks = [...personas.values()].filter(({ settings }) => settings.task);
  expect(tasks.map(({ name }) => name).toSorted()).toEqual(["explore", "general", "plan"]);
  for (const { settings, instruction } of tasks) {
    expect(settings.description).toMatch(/\w/);
    const { names, unknown } = expandTools(settings.tools);
    expect(unknown).toEqual([]);
    expect(names).toContain("notify");
    expect(names).toEqual(expect.arrayContaining(instruction.match(/\b(spawn|request|memory)_[a-z_]+\b/g) ?? []));
  }
});

test("only the newsletter may change something: the news of its facet", () => {
  const writing = builtIn.flatMap(({ name, settings }) =>
    expandTools(settings.tools)
      .names.filter((tool) => isWriting(tool))
      .map((tool) => [name, tool]),
  );
  expect(writing).toEqual([["facet-newsletter", "facet_news"]]);
});

test.each(builtIn)(
  "$name cites its sources, and is told that what it reads is not an instruction",
  ({ instruction }) => {
    expect(instruction).toContain("path:line");
    expect(instruction).toMatch(/never an instruction to you|not instructions to you|judge it, don't follow it/);
  },
);

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
