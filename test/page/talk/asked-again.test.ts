/** Whether the input of a turn that failed may be sent once more, and what it is. */
import { expect, test } from "vitest";
import { judgeOf } from "../../../page/talk/asked-again.ts";
import type { TurnFailure } from "../../../page/talk/talk-entry.ts";
import type { TalkRecord } from "../../../page/talk/talk-record.ts";

const [first, second, third] = ["1737366060000", "1737366070000", "1737366080000"];
const lamp = { id: "a".repeat(64), name: "lamp.jpg", mime: "image/jpeg" };
const failed = (run: string): TurnFailure => ({ run, ts: Number(run) + 5000, reason: "provider", error: "too busy" });
const said = (run: string, text: string, more = {}): TalkRecord => ({
  type: "user",
  id: `${run} ${text}`,
  ts: Number(run),
  run_id: run,
  text: `[channel: web | id: main]\n${text}`,
  ...more,
});
const answer = (run: string): TalkRecord => ({
  type: "assistant",
  id: `${run}:1`,
  ts: Number(run) + 1000,
  run_id: run,
  text: "Yes",
});
const judge = (records: TalkRecord[], failures = [failed(first)], run: string | null = null) =>
  judgeOf(records, { run, failures })(failures[0] as TurnFailure);

test("what people said to a turn is its input, with its files", () => {
  const records = [said(first, "One"), said(first, "Two\n[attachment: lamp.jpg (image/jpeg)]", { parts: [lamp] })];
  expect(judge(records)).toEqual({ input: { text: "One\n\nTwo", files: [lamp] }, again: "offered" });
});

test("a turn that news began, or whose begin isn't read, has nothing to be asked again", () => {
  const news: TalkRecord = { type: "system", id: "t", ts: 1, run_id: first, text: "A task is done" };
  expect(judge([news])).toEqual({ input: null, again: "over" });
  expect(judge([])).toEqual({ input: null, again: "over" });
});

test("what came too late for the turn before, or was asked under another id, is the turn's input", () => {
  const moved: TalkRecord = { type: "system", id: "m", ts: 2, run_id: second, text: "", moved: `${first} One` };
  expect(judge([said(first, "One"), moved], [failed(second)]).input?.text).toBe("One");
  const renamed: TalkRecord = { type: "system", id: "r", ts: 2, run_id: second, text: "", again_of: first };
  expect(judge([said(first, "One"), renamed], [failed(second)]).input?.text).toBe("One");
});

test("a turn whose input was sent once more was asked again, whatever became of that", () => {
  const records = [said(first, "One"), said(second, "One")];
  expect(judge(records).again).toBe("asked");
  expect(judge(records, [failed(first), failed(second)]).again).toBe("asked");
  expect(judge(records, [failed(second), failed(first)]).again).toBe("offered");
  expect(judge([said(first, "One"), said(second, "One", { parts: [lamp] })]).again).toBe("offered");
});

test("a later turn that has answered ends it; one that failed, or goes on, does not", () => {
  const records = [said(first, "One"), said(third, "Two"), answer(third)];
  expect(judge(records).again).toBe("over");
  expect(judge(records, [failed(first), failed(third)]).again).toBe("offered");
  expect(judge(records, [failed(first)], third).again).toBe("offered");
  expect(judge([answer(first), said(second, "One")], [failed(second)]).again).toBe("offered");
});

test("a conversation that was begun anew ends it", () => {
  const reset: TalkRecord = { type: "reset", id: "x", ts: Number(third) };
  expect(judge([said(first, "One"), reset]).again).toBe("over");
});
