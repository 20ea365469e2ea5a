import { expect, test } from "vitest";
import { pageSize, sessionPage } from "../../../acp/records/session-page.ts";
import type { SessionRecord } from "../../../journal/editor-sessions/session-store.ts";

const record = (number: number, updated: number, cwd = "/garden"): SessionRecord => ({
  id: `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`,
  cwd,
  title: null,
  updated,
  mode: "default",
  model: "default",
  effort: "default",
  runs: [],
});
const numbers = (page: ReturnType<typeof sessionPage>) =>
  page?.sessions.map(({ sessionId }) => Number(sessionId.slice(-12)));

test("a long list comes in pages, also while it changes, and those of one time come once", () => {
  const all = Array.from({ length: pageSize + 20 }, (_, number) => record(number, 5000 - Math.floor(number / 10)));
  const first = sessionPage(all, null, null);
  expect(numbers(first)).toEqual(Array.from({ length: pageSize }, (_, number) => number));
  const newer = [record(999, 9000), ...all];
  const second = sessionPage(newer, null, first?.nextCursor);
  expect(numbers(second)).toEqual(Array.from({ length: 20 }, (_, number) => pageSize + number));
  expect(second?.nextCursor).toBeUndefined();
});

test("only the sessions of a folder are listed where one is named; a cursor of somebody else's is none", () => {
  const all = [record(1, 3), record(2, 2, "/elsewhere")];
  expect(numbers(sessionPage(all, "/elsewhere", undefined))).toEqual([2]);
  expect(numbers(sessionPage(all, null, null))).toEqual([1, 2]);
  for (const cursor of ["", "x", "12", "1e3.x"]) expect(sessionPage(all, null, cursor)).toBeNull();
});
