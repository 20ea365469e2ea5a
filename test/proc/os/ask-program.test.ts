import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { askProgram } from "../../../proc/os/ask-program.ts";
import { versionOf } from "../../../proc/os/program-version.ts";
import { patienceMs } from "../../support/patience.ts";

/** A program of that text, for one test. */
function program(text: string): { path: string } & Disposable {
  const folder = mkdtempSync(join(tmpdir(), "cortex-program-"));
  const path = join(folder, "program");
  writeFileSync(path, text, { mode: 0o755 });
  return { path, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}

test("a program's output is returned, and whether it succeeded", async () => {
  using says = program("#!/bin/sh\necho $1; echo oh >&2; exit $2\n");
  expect(await askProgram(says.path, ["hello", "0"], patienceMs)).toEqual({
    stdout: "hello\n",
    stderr: "oh\n",
    error: null,
  });
  expect(await askProgram(says.path, ["hello", "3"], patienceMs)).toMatchObject({
    stdout: "hello\n",
    error: { code: 3 },
  });
});

test("a program that is deaf to TERM keeps nobody waiting", async () => {
  using deaf = program("#!/bin/sh\ntrap '' TERM; while :; do sleep 0.1; done\n");
  const { error } = await askProgram(deaf.path, [], 500);
  expect(error).toMatchObject({ killed: true, signal: "SIGKILL" });
});

test("a program that can't be started is reported like any other failure", async () => {
  using file = program("");
  expect(await askProgram(join(file.path, "within"), [], patienceMs)).toMatchObject({
    stdout: "",
    stderr: "",
    error: { code: "ENOTDIR" },
  });
  expect(await versionOf(join(file.path, "within"))).toBe(null);
  expect(await askProgram(`${file.path}-that-is-not-there`, [], patienceMs)).toMatchObject({
    error: { code: "ENOENT" },
  });
});
