/** Steps become bars on lanes. Pure: places are parts of the axis from 0 to 1, and whatever draws them knows the pixels. */
import type { Step } from "./step.ts";
import { isSameCall } from "./step.ts";
import type { Span } from "./time-axis.ts";

export type Bar = {
  step: Step;
  /** Where it begins and how wide it is, as parts of the axis. */
  left: number;
  width: number;
  /** The row in which it stands, from 0. */
  row: number;
  isOpen: boolean;
};

export type Lanes = {
  attempts: Bar[];
  inputs: Bar[];
  model: Bar[];
  tools: Bar[];
  /** Times in which a person was waited for. They stand over the call that waits. */
  waits: Bar[];
  /** How many rows the tools take, at most `mostRows`. */
  toolRows: number;
  /** Where more tools ran than there are rows: how many more. */
  hidden: { left: number; count: number }[];
  /** Calls that were made again, just the same. */
  repeated: { left: number; width: number; count: number }[];
  costs: { step: Step; left: number; height: number }[];
};

export const mostRows = 4;

/** Where steps stand on the lanes of a span. `now`: where open bars end. `start`: when the axis is at 0. */
export function lanesOf(steps: readonly Step[], span: Span, start: number, now: number): Lanes {
  const bars: Record<Lane, Bar[]> = { attempt: [], input: [], model: [], tool: [], wait: [] };
  const length = Math.max(1, span.to - span.from);
  for (const step of steps) {
    const lane = laneOf(step);
    if (lane === null) continue;
    const from = step.from - start;
    const to = Math.max(from, (step.to ?? now) - start);
    if (to < span.from || from > span.to) continue;
    const left = Math.max(0, (from - span.from) / length);
    const right = Math.min(1, (to - span.from) / length);
    bars[lane].push({ step, left, width: right - left, row: 0, isOpen: step.to === null });
  }
  const { toolRows, hidden } = stack(bars.tool);
  for (const wait of bars.wait) wait.row = bars.tool.findLast((tool) => isWithin(wait, tool))?.row ?? 0;
  return {
    attempts: bars.attempt,
    inputs: bars.input,
    model: bars.model,
    tools: bars.tool,
    waits: bars.wait,
    toolRows,
    hidden,
    repeated: repeatedCalls(bars.tool),
    costs: costColumns(bars.model),
  };
}

type Lane = "attempt" | "input" | "model" | "tool" | "wait";

function laneOf({ kind }: Step): Lane | null {
  if (kind === "retry") return "model";
  return kind === "note" || kind === "end" ? null : kind;
}

const isWithin = (inner: Bar, outer: Bar) =>
  outer.left <= inner.left && inner.left <= outer.left + outer.width && outer.row < mostRows;

/** Bars that overlap get rows of their own, the first that is free. A bar for which none is free is counted where it begins. */
function stack(bars: Bar[]): Pick<Lanes, "toolRows" | "hidden"> {
  const ends: number[] = [];
  const hidden: Lanes["hidden"] = [];
  let toolRows = 1;
  for (const bar of bars) {
    const free = ends.findIndex((end) => end <= bar.left + 1e-9);
    bar.row = free === -1 ? ends.length : free;
    if (bar.row >= mostRows) {
      const last = hidden.at(-1);
      if (last && bar.left < Math.min(...ends)) last.count++;
      else hidden.push({ left: bar.left, count: 1 });
      continue;
    }
    ends[bar.row] = bar.left + bar.width;
    toolRows = Math.max(toolRows, bar.row + 1);
  }
  return { toolRows, hidden };
}

/** Runs of at least three calls that are the same, one after the other. */
function repeatedCalls(bars: readonly Bar[]): Lanes["repeated"] {
  const found: Lanes["repeated"] = [];
  for (let first = 0, next = 1; first < bars.length; first = next, next = first + 1) {
    const begin = bars[first];
    if (!begin) break;
    while (isAgain(begin, bars[next])) next++;
    const end = bars[next - 1] ?? begin;
    if (next - first >= leastRepeated)
      found.push({ left: begin.left, width: end.left + end.width - begin.left, count: next - first });
  }
  return found;
}

const leastRepeated = 3;

const isAgain = (begin: Bar, bar: Bar | undefined) => bar !== undefined && isSameCall(begin.step, bar.step);

/** More columns than these can't be told apart: of those at one place the highest is shown. */
const mostColumns = 400;

/** A column a model call, at its end, as high as its share of the dearest. */
function costColumns(bars: readonly Bar[]): Lanes["costs"] {
  const cost = ({ step }: Bar) => (step.kind === "model" ? (step.usage?.costUsd ?? 0) : 0);
  const dearest = bars.reduce((most, bar) => Math.max(most, cost(bar)), 0);
  const columns = bars
    .filter((bar) => cost(bar) > 0)
    .map((bar) => ({ step: bar.step, left: bar.left + bar.width, height: cost(bar) / dearest }));
  if (columns.length <= mostColumns) return columns;
  const places = new Map<number, (typeof columns)[number]>();
  for (const column of columns) {
    const place = Math.round(column.left * mostColumns);
    if (column.height > (places.get(place)?.height ?? 0)) places.set(place, column);
  }
  return [...places.values()];
}

/** Which part of a model bar is reasoning: its share of the tokens, since nobody tells how long it took. */
export function reasoningShare(step: Step): number {
  if (step.kind !== "model" || step.usage === null || step.usage.outputTokens === 0) return 0;
  return Math.min(1, step.usage.reasoningTokens / step.usage.outputTokens);
}
