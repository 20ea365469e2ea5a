/** The time axis: how far it reaches, and where its labels stand. Times in ms since the request. */
import { labelOf } from "../words/amounts/durations.ts";

export type Span = { from: number; to: number };

export type Axis = { span: Span; stepMs: number; labels: { at: number; text: string }[] };

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

const steps = [
  ...[1, 2, 5, 10, 20, 50].map((count) => count * 10),
  ...[1, 2, 5, 10, 30].map((count) => count * second),
  ...[1, 2, 5, 10, 30].map((count) => count * minute),
  ...[1, 2, 6, 12, 24, 48, 96].map((count) => count * hour),
];

/** No more than so many labels stand beside each other without touching. */
const mostLabels = 12;

/** The shortest axis of a run at work: what is shorter would double before one has looked. */
const shortestRunning = 15 * second;

/** Where the axis of a run at work ends: it doubles, so that what is drawn stays in its place for as long as has passed. */
export function runningEnd(elapsedMs: number): number {
  let end = shortestRunning;
  while (end < elapsedMs * 1.02) end *= 2;
  return end;
}

/** The axis over a span, with 6 to 12 labels wherever a step gives so many. */
export function axisOf(span: Span): Axis {
  const length = Math.max(1, span.to - span.from);
  const stepMs = steps.find((step) => length / step <= mostLabels) ?? Math.ceil(length / mostLabels / hour) * hour;
  const labels: Axis["labels"] = [];
  for (let at = Math.ceil(span.from / stepMs) * stepMs; at <= span.to; at += stepMs)
    labels.push({ at: (at - span.from) / length, text: textOf(at, stepMs) });
  return { span, stepMs, labels };
}

function textOf(at: number, stepMs: number): string {
  if (stepMs >= second) return labelOf(at);
  return `${(at / second).toFixed(stepMs >= 100 ? 1 : 2)} s`;
}

/** The part of the whole that somebody has drawn out with the pointer: in order, inside, and no shorter than can be told apart. */
export function zoomTo(whole: Span, one: number, other: number): Span {
  const least = Math.max(20, (whole.to - whole.from) / 10_000);
  const from = Math.max(whole.from, Math.min(one, other));
  const to = Math.min(whole.to, Math.max(one, other));
  return to - from >= least ? { from, to } : whole;
}
