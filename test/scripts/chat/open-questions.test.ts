import { expect, test } from "vitest";
import { OpenQuestions } from "../../../scripts/chat/open-questions.ts";

const asks = (token: string, always = true) => ({ text: `May ${token}?`, metadata: { permission: { token, always } } });

test("y, n and always answer the question that was asked first, and then the next", () => {
  const questions = new OpenQuestions();
  expect(questions.answerOf("y")).toBeNull();
  expect(questions.hearMessage({ text: "no question", metadata: { other: 1 } })).toBeNull();
  expect(questions.hearMessage(asks("a"))).toContain("always");
  expect(questions.answerOf("yes please")).toBeNull();
  expect(questions.hearMessage(asks("b", false))).toBe("the question before it is answered first");
  expect(questions.hearMessage(asks("b", false))).toBeNull();
  expect(questions.answerOf(" Always ")).toEqual({ id: "a", decision: "allow", always: true });
  expect(questions.forget("a")?.text).toBe("May a?");
  expect(questions.first).toEqual({ text: "May b?", hint: "y allows it, n denies it" });
  expect(questions.answerOf("n")).toEqual({ id: "b", decision: "deny", always: false });
  questions.forget("b");
  expect([questions.first, questions.answerOf("y")]).toEqual([null, null]);
});

test("a question that is decided is forgotten, whichever place it has", () => {
  const questions = new OpenQuestions();
  for (const id of ["a", "b", "c"]) questions.hearMessage(asks(id));
  expect(questions.forget("b")?.id).toBe("b");
  expect([questions.ids, questions.has("b"), questions.forget("b")]).toEqual([["a", "c"], false, null]);
  questions.forget("a");
  expect(questions.first?.text).toBe("May c?");
});

test("what no rule can say isn't answered by always, and what isn't open isn't asked", () => {
  const questions = new OpenQuestions();
  expect(questions.hearMessage(asks("a"), ["b"])).toBeNull();
  expect(questions.hearMessage(asks("b", false), ["b"])).not.toContain("always");
  expect(questions.answerOf("always")).toBeNull();
  expect(questions.answerOf("y")).toMatchObject({ id: "b" });
});
