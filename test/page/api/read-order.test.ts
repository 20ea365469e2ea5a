import { expect, test } from "vitest";
import { ReadOrder } from "../../../page/api/read-order.ts";

test("an answer is news unless a read that was asked for later has been answered", () => {
  const order = new ReadOrder();
  const [first, second, third] = [order.ask(), order.ask(), order.ask()];
  expect([first(), third(), second(), third(), order.ask()()]).toEqual([true, true, false, true, true]);
});
