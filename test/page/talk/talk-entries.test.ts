/** The entries that a conversation shows of its history. */
import { expect, test } from "vitest";
import { talkEntries } from "../../../page/talk/talk-entries.ts";
import { type TalkRecord, withTail } from "../../../page/talk/talk-record.ts";

const ts = Date.UTC(2025, 0, 20, 9, 41);
const user = (id: string, text: string, more = {}): TalkRecord => ({ type: "user", id, ts, text, ...more });
const of = (run: string, seq: number, type: string, more = {}): TalkRecord => ({
  type,
  id: `${run}:${seq}`,
  run_id: run,
  ts: Number(run) + seq * 1000,
  ...more,
});
const scene = { run: null, isTextReply: false, tasks: [], failures: [], hasOlder: false };
const shown = (records: TalkRecord[], more = {}) =>
  talkEntries(records, { ...scene, ...more }).map((entry) =>
    `${entry.kind} ${"text" in entry ? entry.text : ""}`.trim(),
  );

test("the line that tells the model where a message came from isn't shown; the channel is", () => {
  const [, mine] = talkEntries([user("a", "[channel: telegram | id: 17]\nGood\nmorning")], scene);
  expect(mine).toMatchObject({ kind: "mine", text: "Good\nmorning", channel: "telegram" });
});

test("lines that name files are shown as files, as many as there are", () => {
  const id = "a".repeat(64);
  const text = "[channel: web | id: main]\nSee\n[attachment: mine.txt]\n[attachment: lamp.jpg (image/jpeg)]";
  const [, mine] = talkEntries([user("a", text, { parts: [{ id, name: "lamp.jpg", mime: "image/jpeg" }] })], scene);
  expect(mine).toMatchObject({ text: "See\n[attachment: mine.txt]", files: [{ id, name: "lamp.jpg" }] });
});

test("a line that only says which turn a message belongs to isn't shown", () => {
  const moved = { type: "system", id: "moved-1-a", ts, text: "It came too late", left_out: true, moved: "a" };
  expect(shown([user("a", "Hello"), moved])).toEqual(["day", "mine Hello"]);
});

test("a reply is what was said, and the text around it a thought", () => {
  const run = String(ts);
  const records = [
    of(run, 1, "assistant", { text: "Hm" }),
    of(run, 2, "tool_call", { tool: "reply", args: { text: "Yes" } }),
  ];
  expect(shown(records)).toEqual(["day", "thought Hm", "answer Yes", "did"]);
  expect(shown(records, { isTextReply: true })).toEqual(["day", "thought Hm", "answer Yes", "did"]);
});

test("where texts are replies, a turn without one says its text; what goes on hasn't been done yet", () => {
  const run = String(ts);
  const records = [of(run, 1, "tool_call", { tool: "ls" }), of(run, 2, "assistant", { text: "Done" })];
  expect(shown(records, { isTextReply: true })).toEqual(["day", "answer Done", "did"]);
  expect(shown(records, { isTextReply: true, run })).toEqual(["day", "answer Done"]);
});

test("a task stands where it was sent off", () => {
  const records = [user("a", "one"), of(String(ts + 5000), 1, "assistant", { text: "two" })];
  expect(shown(records, { tasks: [{ taskId: "t", created: ts + 1000 }] })).toEqual([
    "day",
    "mine one",
    "task",
    "thought two",
    "did",
  ]);
});

const failure = (run: string, at: number) => ({ run, ts: at, reason: "provider", error: "too busy" });

test("a turn that failed stands where it ended, and not as done; one that goes on isn't told of yet", () => {
  const first = String(ts);
  const records = [user("a", "one", { run_id: first }), of(first, 1, "assistant", { text: "Hm" }), user("b", "two")];
  const failures = [failure(first, ts + 60_000)];
  expect(shown(records, { failures })).toEqual(["day", "mine one", "thought Hm", "failed", "mine two"]);
  expect(shown(records, { failures, run: first })).toEqual(["day", "mine one", "thought Hm", "mine two"]);
});

test("a turn that failed and has no record stands in its place by time, unless that is before what was read", () => {
  const later = of(String(ts + 5000), 1, "assistant", { text: "two" });
  const records = [user("a", "one"), later];
  const failures = [failure("1", ts - 1000), failure("2", ts + 1000)];
  expect(shown(records, { failures })).toEqual(["day", "failed", "mine one", "failed", "thought two", "did"]);
  expect(shown(records, { failures, hasOlder: true })).toEqual(["day", "mine one", "failed", "thought two", "did"]);
});

test("a new page keeps what was read earlier, and what it doesn't have yet stays at the end", () => {
  const [a, b, c, live] = ["a", "b", "c", "live"].map((id) => user(id, id)) as [
    TalkRecord,
    TalkRecord,
    TalkRecord,
    TalkRecord,
  ];
  expect(withTail([a, b, live], [b, c])).toEqual([a, b, c, live]);
  expect(withTail([], [a])).toEqual([a]);
  expect(withTail([a], [c])).toBeNull();
});
