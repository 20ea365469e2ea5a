import { expect, test } from "vitest";
import { RefusalNotices } from "../../../../channels/adapter/senders/refusal-notices.ts";

const hour = 3_600_000;

test("each is told once an hour", () => {
  const notices = new RefusalNotices();
  expect([notices.isDue("a", 0), notices.isDue("a", 1), notices.isDue("b", 1), notices.isDue("a", hour)]).toEqual([
    true,
    false,
    true,
    true,
  ]);
});

test("a flood of strangers is answered to a few", () => {
  const notices = new RefusalNotices();
  const told = Array.from({ length: 1000 }, (_, n) => notices.isDue(`u${n}`, n)).filter(Boolean);
  expect(told).toHaveLength(20);
  expect(notices.isDue("later", hour)).toBe(true);
});
