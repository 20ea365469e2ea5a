import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { findProgram } from "../../../proc/os/find-program.ts";

const folder = mkdtempSync(join(tmpdir(), "cortex-find-"));
const program = join(folder, "program-of-this-test");
writeFileSync(program, "#!/bin/sh\n");
chmodSync(program, 0o755);
writeFileSync(join(folder, "text"), "no program");
mkdirSync(join(folder, "a-folder"));
afterAll(() => rmSync(folder, { recursive: true }));

test("a program is found on the PATH, else in the other folders", () => {
  expect(findProgram("sh")).toMatch(/\/sh$/);
  expect(findProgram("program-of-this-test")).toBe(null);
  expect(findProgram("program-of-this-test", ["", "/no/such/folder", folder])).toBe(program);
});

test("a path is taken as it is, if a program stands there", () => {
  expect(findProgram(program)).toBe(program);
  expect(findProgram(join(folder, "none"), [folder])).toBe(null);
});

test("a file that can't be executed is not a program", () => {
  expect(findProgram("text", [folder])).toBe(null);
  expect(findProgram("a-folder", [folder])).toBe(null);
  expect(findProgram(join(folder, "text"))).toBe(null);
});
