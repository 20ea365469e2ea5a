/** A request that has all that it needs to be one, and can't start, is a run all the same: its request line, an error, a closed file. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { CortexSystem, fixtureAgents } from "../../support/cortex-system.ts";

const system = await CortexSystem.start({
  settings: {
    ...fixtureAgents("scripted"),
    backends: { ...fixtureAgents("scripted").backends, gone: { command: ["no-such-program-of-ours"] } },
  },
  files: {
    "facets/garden/facet.json": '{"title":"Garden"}',
    "personas/off.txt": "never",
    "personas/off.json": '{"disabled":true}',
    "personas/broken.txt": "hello",
    "personas/broken.json": "{",
  },
});
afterAll(() => system[Symbol.asyncDispose]());
mkdirSync(join(system.journal, "facets/no-file"), { recursive: true });

const cannotStart: [what: string, fields: Record<string, unknown>, ...expected: string[]][] = [
  ["an unknown persona", { persona: "nobody" }, "nobody", "persona list"],
  ["a mistyped persona", { persona: "reviwer" }, 'did you mean "reviewer"?', "cortex persona list"],
  ["a persona that is a path", { persona: "../../etc/passwd" }, "../../etc/passwd"],
  ["a persona that is disabled", { persona: "off" }, "off", "disabled"],
  ["a persona that can't be read", { persona: "broken" }, "broken", "fix"],
  ["an unknown backend", { backend: "opnai" }, "opnai", "known backends are", "offline", "scripted"],
  ["a backend named like a part of every object", { backend: "constructor" }, "constructor"],
  ["a backend whose program isn't there", { backend: "gone" }, "no-such-program-of-ours", "PATH"],
  ["an unknown facet", { facet: "gardn" }, "gardn"],
  ["a facet that is a path", { facet: "../garden" }, "../garden"],
  ["a day that isn't one", { day: "20250230" }, "20250230", "YYYYMMDD"],
  ["a day that is a path", { day: "../runs" }, "../runs"],
  ["a save that leaves its day", { save: "../x.md" }, "../x.md"],
  ["a save that leaves its day half-way", { save: "a/../../x.md" }, "a/../../x.md"],
  ["an absolute save", { save: "/tmp/x.md" }, "/tmp/x.md"],
  ["a hidden save", { save: ".profile" }, ".profile"],
  ["a save with a control character", { save: "a\nb" }, "save"],
  [
    "a continue_from that nobody has",
    { continue_from: "1736380800000" },
    "cannot continue from 1736380800000: not found",
  ],
  ["a continue_from that is a path", { continue_from: "../x" }, "cannot continue from ../x: not found"],
  ["a forged handoff_from", { handoff_from: "1736380800000" }, "1736380800000", "handoff"],
  ...["NODE_OPTIONS", "LD_PRELOAD", "DYLD_INSERT_LIBRARIES", "PATH", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY"].map(
    (name): [string, Record<string, unknown>, string] => [`env with ${name}`, { env: { [name]: "s3cret" } }, name],
  ),
];

test.concurrent.each(cannotStart)("%s", async (_, fields, ...expected) => {
  const id = system.request({ prompt: "hello", ...fields });
  const file = await system.settled(id);
  expect(file.map(({ event }) => event)).toEqual(["request", "error"]);
  expect(file[1]).toMatchObject({ reason: "config" });
  for (const word of expected) expect(file[1]?.["error"]).toContain(word);
  expect(JSON.stringify(file)).not.toContain("s3cret");
  expect(system.of(id)).toEqual(file);
});

test("a run without its source says so to programs by a reason", async () => {
  const missing = system.request({ prompt: "hello", continue_from: "1736380800000" });
  expect((await system.settled(missing)).at(-1)).toMatchObject({ reason: "config", detail: "source_missing" });
});

test("to continue from itself is to continue from what is still running", async () => {
  const id = system.nextId();
  system.request({ prompt: "hello", continue_from: id }, id);
  expect((await system.settled(id)).at(-1)).toMatchObject({ error: `cannot continue from ${id}: still running` });
});
