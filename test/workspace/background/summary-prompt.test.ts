import { expect, test } from "vitest";
import { readSummary, summaryPrompt } from "../../../workspace/background/summary-prompt.ts";

test("a suggestion is the last line of an answer, and no part of the summary", () => {
  expect(readSummary("Beans were sown.\n\nFORK: the price of seeds\n")).toEqual({
    summary: "Beans were sown.",
    suggestion: "the price of seeds",
  });
  expect(readSummary("FORK: is a word.\nBeans.")).toEqual({ summary: "FORK: is a word.\nBeans.", suggestion: null });
  expect(readSummary("FORK: seeds")).toEqual({ summary: "", suggestion: "seeds" });
  expect(readSummary("Beans.\nFORK:")).toEqual({ summary: "Beans.", suggestion: null });
});

test("what isn't wanted isn't asked for", () => {
  const both = summaryPrompt({ thread_summaries: true, fork_suggestions: true }, "Peas.");
  for (const part of ["Sum up this thread", '"Peas."', '"FORK: "']) expect(both).toContain(part);
  const alone = summaryPrompt({ thread_summaries: true, fork_suggestions: false }, null);
  for (const part of ["FORK", "was summed up"]) expect(alone).not.toContain(part);
  expect(summaryPrompt({ thread_summaries: false, fork_suggestions: true }, "Peas.")).not.toContain("Sum up");
});
