/** A step of a run as the trajectory shows it: lines of its file that belong together, from when until when. Times in ms. */

/** `lost`: its worker went away meanwhile. */
export type StepState = "done" | "failed" | "running" | "lost";

/** The usage of one model call. */
export type StepUsage = {
  model: string | null;
  inputTokens: number;
  outputTokens: number;
  reasoningTokens: number;
  costUsd: number | null;
};

type Kinds = {
  /** The request (`by: null`), or something said to the run. */
  input: { text: string; isRequest: boolean; parts: unknown };
  model: {
    reasoning: string[];
    texts: string[];
    searches: string[];
    /** The tools that it called. */
    calls: string[];
    /** The run's result is its answer. */
    isAnswer: boolean;
    usage: StepUsage | null;
  };
  tool: { tool: string; args: unknown; result: unknown; parts: unknown; callId: string; output: string };
  /** A model call that failed and is tried again. */
  retry: { reason: string; delayMs: number };
  /** A person is waited for; the clocks stand still. */
  wait: { question: string; tool: string; args: unknown; why: string; decision: string | null; by: string };
  /** The run was taken up again by another process. */
  attempt: { model: string };
  /** The event of cortex, and what there is to know. */
  note: { name: string; text: string; runId: string | null };
  /** The terminal event. */
  end: { text: string; reason: string | null; trace: string };
};

export type StepKind = keyof Kinds;

type Base = {
  /** The first of its lines: it stays, whatever else comes. */
  line: number;
  /** All of its lines. */
  lines: number[];
  from: number;
  /** `null`: it goes on. */
  to: number | null;
  attempt: number;
  state: StepState;
  /** Its number among the inputs, model calls and tool calls of the run, from 1; 0 for the others. */
  number: number;
};

export type StepOf<Kind extends StepKind> = Base & { kind: Kind } & Kinds[Kind];
export type Step = { [Kind in StepKind]: StepOf<Kind> }[StepKind];

/** An event as it stands in a run's file. Its fields come from agents: each may be anything. */
export type RunEvent = { event: string; ts: number; seq: number; [field: string]: unknown };

/** A field as a number that can be counted with. */
export const numberOf = (value: unknown): number =>
  typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;

/** Whether two calls are the same one again. */
export function isSameCall(one: Step, other: Step): boolean {
  if (one.kind !== "tool" || other.kind !== "tool" || one.tool !== other.tool) return false;
  return JSON.stringify(one.args) === JSON.stringify(other.args);
}
