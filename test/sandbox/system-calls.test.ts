import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { seccompFilter } from "../../sandbox/walls/seccomp-filter.ts";
import { writeFilter } from "../../sandbox/walls/system-calls.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "filter-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test.skipIf(seccompFilter() === null)("a filter that a sandbox may be reading isn't written again", async () => {
  const path = (await writeFilter(folder)) ?? "";
  const first = statSync(path, { bigint: true });
  await writeFilter(folder);
  const second = statSync(path, { bigint: true });
  expect([second.ino, second.mtimeNs]).toEqual([first.ino, first.mtimeNs]);
});

test.skipIf(seccompFilter() === null)("one that another version has left, or half of one, is replaced", async () => {
  const whole = seccompFilter();
  writeFileSync(join(folder, "filter"), whole?.subarray(0, 8) ?? "");
  const path = (await writeFilter(folder)) ?? "";
  expect(readFileSync(path).equals(whole ?? Buffer.alloc(0))).toBe(true);
});
