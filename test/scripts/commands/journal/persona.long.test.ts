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

test.each([["shwo"], ["show"], ["show", "a", "b"], ["list", "--jsno"]])(
  "a wrong use, %s %s, exits 2 with a hint",
  async (...args) => {
    const { code, stderr } = await persona(...args);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: .+\n {2}\S/);
  },
);
