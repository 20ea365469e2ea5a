/** Two runs beside each other: in what they were asked differently, and at which step they part. Pure. */
import type { Step } from "../../trajectory/step.ts";

type Compared = { prompt: string; persona: string; backend: string | null; model: string | null };

/** Describes the differences between two requests; empty: there are none. */
export function requestDifferences(one: Compared, other: Compared): string[] {
  const names = { prompt: "text", persona: "persona", backend: "backend", model: "model" } as const;
  const fields = Object.keys(names) as (keyof Compared)[];
  return fields.filter((field) => one[field] !== other[field]).map((field) => names[field]);
}

/** The number of the first step in which they differ, from 1; null where they don't. */
export function firstDifference(one: readonly Step[], other: readonly Step[]): number | null {
  const [ours, theirs] = [one, other].map((steps) => steps.filter(({ number }) => number > 0)) as [Step[], Step[]];
  const shared = Math.min(ours.length, theirs.length);
  for (let at = 0; at < shared; at++) if (sayingOf(ours[at]) !== sayingOf(theirs[at])) return at + 1;
  return ours.length === theirs.length ? null : shared + 1;
}

/** The steps of both with the same number, from 1; where one has no more, its side is missing. */
export type StepPair = { number: number; one: Step | undefined; other: Step | undefined; isSame: boolean };

export function pairsOf(one: readonly Step[], other: readonly Step[]): StepPair[] {
  const [ours, theirs] = [one, other].map((steps) => steps.filter(({ number }) => number > 0)) as [Step[], Step[]];
  return Array.from({ length: Math.max(ours.length, theirs.length) }, (_, at) => ({
    number: at + 1,
    one: ours[at],
    other: theirs[at],
    isSame: sayingOf(ours[at]) === sayingOf(theirs[at]),
  }));
}

/** Describes a step, apart from when it was. */
function sayingOf(step: Step | undefined): string {
  if (!step) return "";
  if (step.kind === "tool") return JSON.stringify([step.tool, step.args, step.state, step.result]);
  if (step.kind === "model") return JSON.stringify([step.texts, step.calls]);
  return step.kind === "input" ? step.text : "";
}
