import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { fastTests } from "../../tools/fast-tests.ts";

const folder = mkdtempSync(join(tmpdir(), "fast-tests-"));
afterAll(() => rmSync(folder, { recursive: true }));

function plant(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

test("a test is fast when neither it, nor what it takes from test/, nor a source of ours that it imports starts something", () => {
  plant("a/pure.ts", 'import { join } from "node:path";');
  plant("a/starts.ts", 'import { spawn } from "node:child_process";');
  plant("a/uses.ts", 'import "./starts.ts";');
  plant("test/support/far.ts", 'export { one } from "./near.ts";');
  plant("test/support/near.ts", 'import { execa } from "execa";\nimport "./far.ts";');
  plant("test/a/pure.test.ts", 'import "../../a/pure.ts";\nimport type { ChildProcess } from "node:child_process";');
  // A source may start something that this test never has it start.
  plant("test/a/uses.test.ts", 'import "../../a/uses.ts";');
  plant("test/a/starts.test.ts", 'import { spawned } from "../../a/starts.ts";');
  plant("test/a/spawns.test.ts", 'import {\n  spawn,\n} from "node:child_process";');
  plant("test/a/lazy.test.ts", 'const { createServer } = await import("node:net");');
  plant("test/a/supported.test.ts", 'import { one } from "../support/far.ts";');
  plant("test/a/pure.long.test.ts", 'import "../../a/pure.ts";');
  expect(fastTests(folder)).toEqual(["test/a/pure.test.ts", "test/a/uses.test.ts"]);
});

test("the fast tests of this repository are many, and none of them starts a system", () => {
  const fast = fastTests();
  expect(fast.length).toBeGreaterThan(100);
  expect(fast).toContain("test/protocol/json/parse-json.test.ts");
  expect(fast).not.toContain("test/cortex/lifecycle/run.test.ts");
});
