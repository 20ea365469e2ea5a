/** When "typing …" is shown in a room, and when no more. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Typing } from "../../../channels/telegram/typing.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const room = (channelId: string, replyTo?: string) => ({ type: "telegram", channelId, ...(replyTo && { replyTo }) });

function open(show: () => Promise<unknown> = async () => {}) {
  const shown: string[] = [];
  const problems: unknown[] = [];
  const typing = new Typing({
    show: ({ channelId, replyTo = "" }) => {
      shown.push(channelId + replyTo);
      return show();
    },
    onProblem: (error) => problems.push(error),
  });
  return { typing, shown, problems };
}

test("it is shown at once and every five seconds, until a message goes out there", async () => {
  const { typing, shown } = open();
  typing.begin(room("a"));
  typing.begin(room("a", "5"));
  await vi.advanceTimersByTimeAsync(5000);
  typing.end(room("a"));
  await vi.advanceTimersByTimeAsync(5000);
  expect(shown).toEqual(["a", "a5", "a", "a5", "a5"]);
  typing[Symbol.dispose]();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(shown).toHaveLength(5);
});

test("it is shown for five minutes at most", async () => {
  const { typing, shown } = open();
  typing.begin(room("a"));
  await vi.advanceTimersByTimeAsync(600_000);
  expect(shown).toHaveLength(60);
  expect(vi.getTimerCount()).toBe(0);
  typing.begin(room("a"));
  expect(shown).toHaveLength(61);
  typing[Symbol.dispose]();
});

test("a room in which it can't be shown has it no more for that message", async () => {
  const { typing, shown, problems } = open(async () => Promise.reject(new Error("Forbidden")));
  typing.begin(room("a"));
  await vi.advanceTimersByTimeAsync(60_000);
  expect([shown, problems]).toEqual([["a"], [new Error("Forbidden")]]);
  typing.begin(room("a"));
  await vi.advanceTimersByTimeAsync(0);
  expect(shown).toHaveLength(2);
});
