import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runCortex, runCortexJson } from "../../run-command.ts";

let journal: string;
beforeEach(() => {
  journal = mkdtempSync(join(tmpdir(), "config-"));
});
afterEach(() => rmSync(journal, { recursive: true }));

const write = (text: string) => writeFileSync(join(journal, "cortex.json"), text);
const check = () => runCortex(journal, ["config", "check"]);

test("settings that can be used, or none at all, exit 0", async () => {
  expect(await check()).toMatchObject({ code: 0 });
  write('{"max_concurrent": 3, "backends": {"echo": {"command": ["cat"]}}, "default_backend": "echo"}');
  expect(await check()).toMatchObject({ code: 0, stdout: `${join(journal, "cortex.json")} can be used` });
});

test("a wrong value exits 2, naming the field, the value and what was expected", async () => {
  write('{"max_concurrent": "many"}');
  const { code, stdout } = await check();
  expect(code).toBe(2);
  expect(stdout).toContain('✗ max_concurrent: expected number, got "many"');
  expect(stdout).toContain("cortex config schema");
});

test("a file that is not JSON exits 2 with line and column", async () => {
  write('{\n  "mcp": {"port": 1},\n}');
  expect(await check()).toMatchObject({ code: 2, stdout: expect.stringContaining("(line 3 column 1)") });
});

test("a default backend that there is not exits 2, naming those that there are", async () => {
  write('{"default_backend": "ofline"}');
  expect(await check()).toMatchObject({
    code: 2,
    stdout: expect.stringMatching(/default_backend: .*"ofline".*offline/),
  });
});

test("an unknown key is refused with the nearest name", async () => {
  write('{"max_concurent": 3}');
  const { code, stdout } = await check();
  expect(code).toBe(2);
  expect(stdout).toContain('✗ unknown key "max_concurent": did you mean "max_concurrent"?');
});

test("personas of nobody are warned about, and exit 0", async () => {
  write('{"schedules": {"daily-digets": true}, "budgets": {"personas": {"reviewr": {"daily": {}}}}}');
  const { code, stdout } = await check();
  expect(code).toBe(0);
  expect(stdout).toContain('! schedules: there is no persona "daily-digets": did you mean "daily-digest"?');
  expect(stdout).toContain('! budgets.personas: there is no persona "reviewr": did you mean "reviewer"?');
});

test("check --json is one document, in both cases", async () => {
  write('{"schedules": {"nobody": true}}');
  expect(await runCortexJson(journal, ["config", "check"])).toEqual({
    code: 0,
    document: {
      ok: true,
      path: join(journal, "cortex.json"),
      problems: [],
      warnings: ['schedules: there is no persona "nobody"'],
    },
  });
  write('{"max_concurrent": 0}');
  expect(await runCortexJson(journal, ["config", "check"])).toEqual({
    code: 2,
    document: {
      ok: false,
      path: join(journal, "cortex.json"),
      problems: ["max_concurrent: expected number to be >0, got 0"],
      warnings: [],
      error: {
        type: "config",
        message: expect.stringContaining("max_concurrent"),
        hint: expect.stringContaining("schema"),
      },
    },
  });
});

test("schema prints the JSON Schema of cortex.json", async () => {
  const { code, stdout } = await runCortex(journal, ["config", "schema"]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    $schema: expect.stringContaining("json-schema.org"),
    title: "Settings",
    properties: { max_concurrent: { type: "integer" } },
  });
});

test.each([["chekc"], ["check", "more"]])("a wrong use, %s %s, exits 2", async (...args) => {
  expect(await runCortex(journal, ["config", ...args])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^error: /),
  });
});

test("get prints the settings with their revision, and put replaces them only if they are still those", async () => {
  write('{"max_concurrent": 3}');
  const { document } = await runCortexJson(journal, ["config", "get"]);
  expect(document).toEqual({ revision: expect.stringMatching(/^[0-9a-f]{16}$/), text: '{"max_concurrent": 3}' });
  const file = join(journal, "new.json");
  writeFileSync(file, '{"max_concurrent": 4}');
  const put = (...args: string[]) => runCortexJson(journal, ["config", "put", file, ...args]);
  const revision = ["--revision", String(document["revision"])];
  expect(await put(...revision)).toMatchObject({ code: 0, document: { revision: expect.any(String) } });
  expect((await runCortex(journal, ["config", "get"])).stdout).toContain('"max_concurrent": 4');
  expect(await put(...revision)).toMatchObject({ code: 1, document: { error: { type: "conflict" } } });
  writeFileSync(file, '{"max_concurrent": "many"}');
  expect(await put()).toMatchObject({ code: 2, document: { error: { message: expect.stringContaining("many") } } });
  writeFileSync(file, "[1]");
  expect(await put()).toMatchObject({ code: 2 });
  expect((await runCortex(journal, ["config", "get"])).stdout).toContain('"max_concurrent": 4');
});
