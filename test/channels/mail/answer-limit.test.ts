import { expect, test } from "vitest";
import { AnswerLimit } from "../../../channels/mail/outgoing/answer-limit.ts";

test("so many mails go to one address in an hour, and others to others", () => {
  const limit = new AnswerLimit(2);
  const hour = 3_600_000;
  limit.note("a", 0);
  expect(limit.hasRoom("a", 1)).toBe(true);
  limit.note("a", 1000);
  expect(limit.hasRoom("a", 1001)).toBe(false);
  expect(limit.hasRoom("b", 1001)).toBe(true);
  expect(limit.hasRoom("a", hour)).toBe(true);
  limit.note("a", hour);
  expect(limit.hasRoom("a", hour + 999)).toBe(false);
  expect(limit.hasRoom("a", hour + 1000)).toBe(true);
});
