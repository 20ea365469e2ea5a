import { expect, test } from "vitest";
import { questionOf } from "../../../backends/offline/question.ts";

const nothing = { facet: undefined, day: undefined, context: "" };
const wordsOf = (...texts: string[]) =>
  questionOf(
    texts.map((text) => ({ role: "user" as const, text })),
    nothing,
  ).words;

test("a question in a thread is searched for without who asks whom", () => {
  expect(wordsOf("The person asking is Nora (role: admin).\n\n@assistant where is the heater?")).toEqual(["heater"]);
});

test("an earlier message of a thread gives its words without its author's name", () => {
  expect(
    wordsOf(
      "[Nora Feldmann]: @coder which greenhouse heater?",
      "The person asking is Ada (role: member).\n\nand the price?",
    ),
  ).toEqual(["price", "greenhouse", "heater"]);
});

test("an address keeps its name", () => {
  expect(wordsOf("who is ada@example.org?").join(" ")).toContain("ada");
});
