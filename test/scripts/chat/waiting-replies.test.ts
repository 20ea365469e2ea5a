import { expect, test } from "vitest";
import { agoText, awayHeading, newestOf } from "../../../scripts/chat/waiting-replies.ts";

const now = Date.UTC(2025, 0, 8);
const channel = { type: "cli", channelId: "main" };

async function* replies(count: number, text = "word") {
  for (let position = 1; position <= count; position++)
    yield { position, at: now, message: { id: `r${position}`, text, channel } };
}

test("the newest of the replies that wait are shown, as many and as long as a reader takes", async () => {
  const few = await newestOf(replies(3));
  expect(few).toMatchObject({ more: 0, isAtLeast: false });
  expect(few.replies.map(({ position }) => position)).toEqual([1, 2, 3]);
  const many = await newestOf(replies(120));
  expect(many).toMatchObject({ more: 70 });
  expect(many.replies.map(({ position }) => position)).toEqual(Array.from({ length: 50 }, (_, at) => at + 71));
  const long = await newestOf(replies(9, "x".repeat(40_000)));
  expect(long.replies.map(({ position }) => position)).toEqual([8, 9]);
  // The last is shown however long it is.
  expect((await newestOf(replies(2, "x".repeat(200_000)))).replies).toHaveLength(1);
});

test("the heading says how many replies are shown, and how many aren't", async () => {
  expect(awayHeading(await newestOf(replies(1)), "a")).toBe("· while you were away: 1 reply");
  expect(awayHeading(await newestOf(replies(51)), "a")).toBe(
    "· while you were away: 50 replies; 1 before them not shown, see agents/a/history.jsonl",
  );
  expect(awayHeading(await newestOf(replies(2), true), "a")).toBe(
    "· while you were away: 2 replies; at least 0 before them not shown, see agents/a/history.jsonl",
  );
});

test.each([
  [59_000, "just now"],
  [60_000, "1 min ago"],
  [3_600_000, "1 h ago"],
  [47 * 3_600_000, "47 h ago"],
  [7 * 86_400_000, "7 d ago"],
  [-5000, "just now"],
])("a reply that was sent %d ms ago says so: %s", (ms, text) => {
  expect(agoText(now - ms, now)).toBe(text);
});
