import { expect, test } from "vitest";
import { summaryOf } from "../../../backends/offline/summary.ts";
import { resolutionPrompt } from "../../../workspace/forks/resolution-prompt.ts";
import type { Message } from "../../../protocol/runs/run-config.ts";

const asked = resolutionPrompt({ description: "what the heater costs" });
const said = (...texts: string[]): Message[] => texts.map((text) => ({ role: "user", text }));

const thread = said(
  '(From the workspace: this is a fork of a thread, a side discussion about "what the heater costs". It began at this message)\n\n[Nora]: Do we keep the heater?',
  "[Nora]: @assistant what does the heater cost to run?",
  "[Assistant (AI)]: From the journal, about heater:\n\nThursday 9 January 2025\n- The heater takes 3 kWh a day, 24 euros a month. (20250109/notes.md:3)\n- The hose leaks. (20250109/notes.md:9)",
  "[Ben]: Gas would be 30 euros. I will ask the plumber.",
  "[Nora]: So the heater costs 24 euros a month, within the 25 that we allowed.",
);

test("a fork is summed up by what people concluded, what told the most, and what somebody will do", () => {
  expect(
    summaryOf([...thread, ...said(asked)]),
  ).toBe(`CONCLUSION: So the heater costs 24 euros a month, within the 25 that we allowed.

KEY POINTS:
- Assistant (AI): The heater takes 3 kWh a day, 24 euros a month. (20250109/notes.md:3)
- Ben: Gas would be 30 euros.

ACTION ITEMS:
- Ben: I will ask the plumber.`);
});

test("a thread that ends with a question has no clear conclusion", () => {
  expect(summaryOf([...thread.slice(0, 2), ...said(asked)])).toMatch(/^CONCLUSION: No clear conclusion reached\.\n/);
});

test("a summary stays under 200 words, however much was said", () => {
  const long = said(
    ...Array.from({ length: 30 }, (_, at) => `[Ben]: ${"We will dig the beds of beans and peas ".repeat(20)}${at}.`),
  );
  expect(summaryOf([...long, ...said(asked)])?.split(/\s+/).length).toBeLessThan(200);
});

test("nothing is summed up where nobody asks for it, or nothing was said", () => {
  expect(summaryOf(thread)).toBeNull();
  expect(summaryOf(said(asked))).toBeNull();
  expect(summaryOf(said("What does the summary of January say?"))).toBeNull();
});
