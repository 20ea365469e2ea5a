import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { tailOf } from "../../../files/lines/tail.ts";

const folder = mkdtempSync(join(tmpdir(), "cortex-tail-"));
const path = join(folder, "err");
afterAll(() => rmSync(folder, { recursive: true }));

test("the end of a file begins with a whole character", async () => {
  writeFileSync(path, "aé€😀");
  expect(await tailOf(path, 100)).toBe("aé€😀");
  expect(await tailOf(path, 4)).toBe("😀");
  for (const bytes of [5, 6]) expect(await tailOf(path, bytes), String(bytes)).toBe("😀");
  expect(await tailOf(path, 7)).toBe("€😀");
  expect(await tailOf(path, 3)).toBe("");
});

test("a file that isn't there has no end", async () => {
  expect(await tailOf(join(folder, "none"), 10)).toBe("");
});
