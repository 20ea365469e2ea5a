/** The words of a step in a row of the list: pure. */
import { firstLine } from "../../../words/names/names.ts";
import { mainArgument } from "../../../words/runs/questions.ts";
import { countOf } from "../../../words/amounts/money.ts";
import { failureSentence } from "../../../words/runs/reasons.ts";
import type { Step } from "../../../trajectory/step.ts";

/** Kinds by which the list can be filtered. */
export type StepFilter = "all" | "model" | "tools" | "input" | "failed";

/** The tools that a run has called, by name, each with how often. */
export function toolsIn(steps: readonly Step[]): { tool: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const step of steps) if (step.kind === "tool") counts.set(step.tool, (counts.get(step.tool) ?? 0) + 1);
  return [...counts]
    .map(([tool, count]) => ({ tool, count }))
    .toSorted((one, other) => (one.tool < other.tool ? -1 : 1));
}

export function isOfKind(step: Step, filter: StepFilter): boolean {
  if (filter === "all") return true;
  if (filter === "model") return step.kind === "model" || step.kind === "retry";
  if (filter === "tools") return step.kind === "tool" || step.kind === "wait";
  if (filter === "input") return step.kind === "input";
  return step.state === "failed";
}

/** All that is said in a step, to be searched. */
export function textOfStep(step: Step): string {
  switch (step.kind) {
    case "input":
      return step.text;
    case "model":
      return [...step.reasoning, ...step.texts, ...step.searches].join("\n");
    case "tool":
      return [step.tool, asText(step.args), asText(step.result), step.output].join("\n");
    case "retry":
      return step.reason;
    case "wait":
      return [step.why, step.tool, asText(step.args)].join("\n");
    case "attempt":
      return `attempt ${step.attempt}`;
    case "note":
    case "end":
      return step.text;
  }
}

/** The words of a row, as they can be shown: what stands first, and what goes with it. */
export function wordsOf(step: Step): { head: string; text: string; isMono: boolean; result: string } {
  const { head, text, isMono, result } = rowOf(step);
  return { head: firstLine(head), text: firstLine(text), isMono, result: firstLine(result) };
}

function rowOf(step: Step): { head: string; text: string; isMono: boolean; result: string } {
  const plain = (head: string, text: string, result = "") => ({ head, text, isMono: false, result });
  switch (step.kind) {
    case "input":
      return plain(step.isRequest ? "Asked" : "You said", step.text);
    case "model":
      return plain(reasoned(step), step.texts.join(" ") || step.reasoning.join(" ") || searched(step) || didOf(step));
    case "tool":
      return { head: step.tool, text: mainArgument(step.args), isMono: true, result: resultWord(step) };
    case "retry":
      return plain("", `Tried again after ${(step.delayMs / 1000).toFixed(1)} s: ${step.reason}`);
    case "wait":
      return plain(
        "Waits for you",
        step.decision === null ? step.why : `${step.why}: ${decided[step.decision] ?? step.decision}`,
      );
    case "attempt":
      return plain(`Attempt ${step.attempt}`, "its process was lost, and another went on");
    case "end":
      if (step.state === "done") return plain("Finished", step.text);
      return plain(failureSentence({ reason: step.reason, error: step.text }), "");
    case "note":
      return plain(noteWords[step.name] ?? step.name, step.text);
  }
}

const decided: Record<string, string> = { allow: "allowed", deny: "denied" };

const noteWords: Record<string, string> = {
  info: "",
  saved: "Saved as",
  save_failed: "Could not be saved",
  handoff: "Handed on",
  continue: "Continued",
  changes: "Changed files",
  adopted: "Taken up again",
  granted: "Gave some of its limits to a task",
  agent_updated: "Another agent goes on",
  error: "Went wrong",
};

function reasoned(step: Extract<Step, { kind: "model" }>): string {
  const tokens = step.usage?.reasoningTokens ?? 0;
  if (tokens > 0) return `Reasoned, ${countOf(tokens, "token")}`;
  return step.reasoning.some((summary) => summary !== "") ? "Reasoned" : "";
}

/** Describes a model call without a word. */
function didOf({ calls, isAnswer, state }: Extract<Step, { kind: "model" }>): string {
  if (calls.length > 0) return calls.length === 1 ? `Calls ${calls[0]}` : `Calls ${countOf(calls.length, "tool")}`;
  if (isAnswer) return "Answers";
  return state === "failed" ? "No answer came" : "";
}

const searched = (step: Extract<Step, { kind: "model" }>) =>
  step.searches.length > 0 ? `searched the web: ${step.searches.join(", ")}` : "";

/** Describes the result of a call, in a word or two. */
function resultWord(step: Extract<Step, { kind: "tool" }>): string {
  if (step.state === "running") return "";
  if (step.state === "lost") return "lost";
  const text = asText(step.result);
  if (text === "") return "nothing";
  const lines = text.trimEnd().split("\n").length;
  return lines > 1 ? countOf(lines, "line") : text.length > 40 ? "" : text;
}

/** Anything as text: an object as JSON. */
export function asText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
