import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { claimKeptMs, claimTurn, noteSession } from "../../../backends/acp/session-claims.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cortex-claims-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("of the runs that go on from one answer, one has its session, and a session has one file", () => {
  noteSession(folder, "s1");
  expect([1, 2].map(() => claimTurn(folder, { session_id: "s1", turns: 1 }))).toEqual([true, false]);
  expect(claimTurn(folder, { session_id: "s1", turns: 2 })).toBe(true);
  // Neither an answer from before that, nor one that nobody has noted.
  expect([1, 2].map((turns) => claimTurn(folder, { session_id: "s1", turns }))).toEqual([false, false]);
  expect(claimTurn(folder, { session_id: "s2", turns: 1 })).toBe(false);
  expect(readdirSync(folder)).toHaveLength(1);
});

test("claims that have rested for too long go when another session begins; then nobody goes on in theirs", () => {
  noteSession(folder, "s1");
  noteSession(folder, "s2", Date.now() + claimKeptMs / 2);
  expect(readdirSync(folder)).toHaveLength(2);
  noteSession(folder, "s3", Date.now() + 2 * claimKeptMs);
  expect(readdirSync(folder)).toHaveLength(1);
  expect(claimTurn(folder, { session_id: "s1", turns: 1 })).toBe(false);
});
