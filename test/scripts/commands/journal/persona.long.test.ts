import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runCortex, runCortexJson } from "../../run-command.ts";

let journal: string;
beforeEach(() => {
  journal = mkdtempSync(join(tmpdir(), "persona-"));
  mkdirSync(join(journal, "personas"));
});
afterEach(() => rmSync(journal, { recursive: true }));

const write = (file: string, text: string) => writeFileSync(join(journal, "personas", file), text);
const persona = (...args: string[]) => runCortex(journal, ["persona", ...args]);

test("list shows the built-in and the user's, and says that one can't be read", async () => {
  write("chef.txt", "You cook.");
  write("chef.json", '{"description":"Cooks.","schedule":"0 6 * * *"}');
  write("broken.json", "{}");
  const { code, stdout, stderr } = await persona("list");
  expect(code).toBe(0);
  expect(stdout).toMatch(/^NAME +FROM +SCHEDULE +WHAT FOR$/m);
  expect(stdout).toMatch(/^chef +journal +0 6 \* \* \* +Cooks\.$/m);
  expect(stdout).toMatch(/^daily-digest +built-in +daily +\S/m);
  expect(stdout).toMatch(/^explore +built-in +- +sub-agent: \S/m);
  expect(stderr).toBe("1 can't be read: cortex persona check");
});

test("list --json is one document with personas and problems", async () => {
  write("chef.txt", "You cook.");
  write("broken.json", "{}");
  const { code, document } = await runCortexJson(journal, ["persona", "list"]);
  expect(code).toBe(0);
  expect(document["personas"]).toContainEqual({
    name: "chef",
    title: null,
    description: null,
    schedule: null,
    source: "journal",
    path: join(journal, "personas/chef.txt"),
  });
  expect(document["personas"]).toContainEqual(
    expect.objectContaining({ name: "facet-auditor", schedule: "daily", always: true }),
  );
  expect(document["problems"]).toEqual([
    {
      name: "broken",
      path: join(journal, "personas/broken.txt"),
      error: expect.stringContaining("instructions are missing"),
    },
  ]);
});

test("show prints the settings and then the instructions", async () => {
  write("chef.txt", "You cook.\nWell.");
  write("chef.json", '{"title":"Chef","handoff":{"persona":"reviewer"}}');
  const { code, stdout } = await persona("show", "chef");
  expect(code).toBe(0);
  expect(stdout).toMatch(/^title +Chef$/m);
  expect(stdout).toMatch(/^handoff +\{"persona":"reviewer"\}$/m);
  expect(stdout).toMatch(/\n\nYou cook\.\nWell\.$/);
});

test("show --json has the whole persona", async () => {
  write("chef.txt", "You cook.");
  write("chef.json", '{"title":"Chef"}');
  const { document } = await runCortexJson(journal, ["persona", "show", "chef"]);
  expect(document).toEqual({
    persona: {
      name: "chef",
      source: "journal",
      path: join(journal, "personas/chef.txt"),
      title: "Chef",
      instruction: "You cook.",
    },
  });
});

test("show of one that isn't there names the nearest, and exits 2", async () => {
  const { code, stdout, stderr } = await persona("show", "reviwer");
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toBe('error: there is no persona "reviwer": did you mean "reviewer"?\n  names: cortex persona list');
});

test("show of one that can't be read says why, and exits 2", async () => {
  write("chef.txt", "You cook.");
  write("chef.json", '{"title": 4}');
  const { code, document } = await runCortexJson(journal, ["persona", "show", "chef"]);
  expect(code).toBe(2);
  expect(document).toMatchObject({
    ok: false,
    error: { type: "config", message: expect.stringContaining("title: expected string, got 4") },
  });
});

test("check exits 0 when all can be read, and 2 naming file and reason when one can't", async () => {
  expect(await persona("check")).toMatchObject({ code: 0, stdout: "9 personas can be used, 0 can't" });
  write("chef.txt", "You cook.");
  write("chef.json", '{"title": 4}');
  const { code, stdout } = await persona("check");
  expect(code).toBe(2);
  expect(stdout).toContain(`✗ chef: ${join(journal, "personas/chef.json")}: title: expected string, got 4`);
  const { document } = await runCortexJson(journal, ["persona", "check"]);
  expect(document).toMatchObject({ ok: false, problems: [{ name: "chef" }] });
});

test("check tells tools that nothing is called, with the nearest, and not those of a server that is declared", async () => {
  writeFileSync(join(journal, "cortex.json"), JSON.stringify({ mcp_servers: { math: { command: ["none"] } } }));
  write("chef.txt", "You cook.");
  write("chef.json", '{"tools":"journal, tody"}');
  write("counter.txt", "You count.");
  write("counter.json", '{"tools":"math, math.sum, todo"}');
  const { code, stdout } = await persona("check");
  expect(code).toBe(2);
  expect(stdout).toMatch(/^✗ chef: .*chef\.json: unknown name in tools: "tody" \(did you mean "todo"\?\)/m);
  expect(stdout).not.toContain("counter");
  expect(stdout).toMatch(/personas can be used, 1 can't$/m);
});

test("preview prints the instructions and the tools of a persona, as it is saved", async () => {
  write("chef.txt", "You cook.\n");
  write("chef.json", '{"tools":"todo, tody"}');
  const { code, stdout, stderr } = await persona("preview", "chef");
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^== Instruction ==\nYou cook\.\n\n== Tools ==\n\w+, /)]);
  expect(stderr).toBe("! tools: nothing is called tody");
  const { document } = await runCortexJson(journal, ["persona", "preview", "reviewer"]);
  expect(document).toMatchObject({
    persona: "reviewer",
    problem: null,
    fields: [],
    unknown_tools: [],
    companion: null,
  });
  expect(document["instruction"]).toContain("You review");
});

test("preview tells what a text and settings would be, saves nothing, and exits 2 where they couldn't be", async () => {
  write("chef.txt", "You cook.");
  const [text, settings] = [join(journal, "text"), join(journal, "settings")];
  writeFileSync(text, "You bake.");
  writeFileSync(settings, '{"disable_mcp": true}');
  const as = (...more: string[]) =>
    runCortexJson(journal, ["persona", "preview", "chef", "--text", text, "--settings", settings, ...more]);
  expect(await as()).toMatchObject({ code: 0, document: { instruction: "You bake.", tools: [], problem: null } });
  writeFileSync(settings, '{"handoff": {"persona": 4}}');
  expect(await as()).toMatchObject({
    code: 2,
    document: { problem: expect.stringContaining("handoff.persona"), fields: [{ path: "handoff.persona" }] },
  });
  const { code, stderr } = await persona("preview", "chef", "--settings", settings);
  expect([code, stderr]).toEqual([2, expect.stringMatching(/^✗ it couldn't be saved so: handoff\.persona/)]);
  expect(await persona("show", "chef")).toMatchObject({ code: 0, stdout: expect.stringContaining("You cook.") });
  const unsaved = await runCortexJson(journal, ["persona", "preview", "baker", "--text", text]);
  expect(unsaved).toMatchObject({ code: 0, document: { persona: "baker", instruction: "You bake." } });
});

test("a schedule that can't be read is a warning: the persona can be asked all the same", async () => {
  write("chef.txt", "You cook.");
  write("chef.json", '{"schedule": "0 25 * * *"}');
  const { code, stdout } = await persona("check");
  expect(code).toBe(0);
  expect(stdout).toContain("schedule: 25 is a invalid expression for hour; it never runs by itself");
});

test("a file's control sequences don't reach the terminal", async () => {
  write("chef.txt", "You cook.");
  write("chef.json", JSON.stringify({ description: "\u001b[31mred\u001b[0m\u0007\nrow" }));
  const { stdout } = await persona("list");
  expect(stdout).toMatch(/^chef +journal +- +red row$/m);
});

test.each([
  [["preview"], "takes a name", "names: cortex persona list"],
  [["preview", "reviwer"], 'no persona "reviwer": did you mean "reviewer"?', "names: cortex persona list"],
  [["preview", "reviewer", "--text", "nowhere"], "nowhere: ", "name a file"],
  [["preview", "reviewer", "--text", "-", "--settings", "-"], "only one of them", "name a file for the other"],
  [["try", "reviewer"], "NAME or TEXT is missing", "cortex persona try reviewer"],
  [["try", "reviwer", "hello"], 'no persona "reviwer": did you mean "reviewer"?', "names: cortex persona list"],
  [["try", "reviewer", ""], "prompt: ", "cortex persona --help"],
  [["try", "reviewer", "hello", "--facet", "No facet"], "facet: ", "cortex persona --help"],
  [["try", "reviewer", "-", "--text", "-"], "only one of them", "name a file for the other"],
  [["try", "reviewer", "a", "b"], 'unexpected "b"', "cortex persona --help"],
])("a preview or a try that can't be, %j, exits 2 with what to do", async (args, said, remedy) => {
  const { code, stderr } = await persona(...args);
  expect([code, stderr]).toEqual([2, expect.stringContaining(said)]);
  expect(stderr).toContain(remedy);
});

test("a try where nothing runs exits 69 and says how to start it", async () => {
  const { code, stderr } = await persona("try", "reviewer", "hello");
  expect([code, stderr]).toEqual([69, expect.stringContaining("start it: cortex up")]);
});

test.each([["shwo"], ["show"], ["show", "a", "b"], ["list", "--jsno"]])(
  "a wrong use, %s %s, exits 2 with a hint",
  async (...args) => {
    const { code, stderr } = await persona(...args);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: .+\n {2}\S/);
  },
);
