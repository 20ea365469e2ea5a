import { expect, test } from "vitest";
import { AskedQuestion } from "../../../scripts/chat/asked-question.ts";

const asks = (token: string, always = true) => ({ metadata: { permission: { token, always } } });

test("y, n and always answer the question that was asked last, once", () => {
  const question = new AskedQuestion();
  expect(question.takeAnswer("y")).toBeNull();
  expect(question.hearMessage({ metadata: { other: 1 } })).toBeNull();
  expect(question.hearMessage(asks("a"))).toContain("always");
  expect(question.takeAnswer("yes please")).toBeNull();
  question.hearMessage(asks("b"));
  expect(question.takeAnswer(" Always ")).toEqual({ id: "b", decision: "allow", always: true });
  expect(question.takeAnswer("y")).toBeNull();
  question.hearMessage(asks("c"));
  expect(question.takeAnswer("n")).toEqual({ id: "c", decision: "deny", always: false });
});

test("what no rule can say isn't answered by always", () => {
  const question = new AskedQuestion();
  expect(question.hearMessage(asks("a", false))).not.toContain("always");
  expect(question.takeAnswer("always")).toBeNull();
  expect(question.takeAnswer("y")).toMatchObject({ id: "a" });
});
