import { expect, test } from "vitest";
import { AskedQuestion } from "../../../scripts/chat/asked-question.ts";

const asks = (token: string, always = true) => ({ metadata: { permission: { token, always } } });

test("y, n and always answer the question that was asked last, once", () => {
  const question = new AskedQuestion();
  expect(question.take("y")).toBeNull();
  expect(question.hear({ metadata: { other: 1 } })).toBeNull();
  expect(question.hear(asks("a"))).toContain("always");
  expect(question.take("yes please")).toBeNull();
  question.hear(asks("b"));
  expect(question.take(" Always ")).toEqual({ id: "b", decision: "allow", always: true });
  expect(question.take("y")).toBeNull();
  question.hear(asks("c"));
  expect(question.take("n")).toEqual({ id: "c", decision: "deny", always: false });
});

test("what no rule can say isn't answered by always", () => {
  const question = new AskedQuestion();
  expect(question.hear(asks("a", false))).not.toContain("always");
  expect(question.take("always")).toBeNull();
  expect(question.take("y")).toMatchObject({ id: "a" });
});
