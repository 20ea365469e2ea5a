/** The choices on a run's page: the step, the part of the axis, the filters, and whether its end is followed. */
import { computed, signal } from "@preact/signals";
import type { RunStore } from "../../../stores/runs/run-store.ts";
import { isOfKind, type StepFilter, textOfStep } from "./step-words.ts";
import type { Step } from "../../../trajectory/step.ts";
import { runningEnd, type Span } from "../../../trajectory/time-axis.ts";

export class RunPage {
  readonly store: RunStore;
  /** The first line of the chosen step; of the one under the pointer. */
  readonly chosen = signal<number | null>(null);
  readonly hovered = signal<number | null>(null);
  /** A part of the axis that was drawn out. */
  readonly zoom = signal<Span | null>(null);
  readonly kind = signal<StepFilter>("all");
  readonly attempt = signal<number | null>(null);
  /** Calls of this tool alone; empty: of any. */
  readonly tool = signal("");
  readonly text = signal("");
  readonly isFollowing = signal(true);

  constructor(store: RunStore) {
    this.store = store;
  }

  /** All steps, as they are now. Whoever reads it hears of changes. */
  readonly steps = computed<readonly Step[]>(() => {
    void this.store.version.value;
    return this.store.steps.steps.slice();
  });

  readonly shown = computed<readonly Step[]>(() => {
    const [kind, attempt, tool] = [this.kind.value, this.attempt.value, this.tool.value];
    const text = this.text.value.trim().toLowerCase();
    return this.steps.value.filter(
      (step) =>
        isOfKind(step, kind) &&
        (attempt === null || step.attempt === attempt) &&
        (tool === "" || ((step.kind === "tool" || step.kind === "wait") && step.tool === tool)) &&
        (text === "" || textOfStep(step).toLowerCase().includes(text)),
    );
  });

  readonly attempts = computed(() => Math.max(1, this.steps.value.at(-1)?.attempt ?? 1));

  /** The step whose details are shown: the chosen one, else the first that failed, else the last that says something. */
  readonly current = computed<Step | null>(() => {
    const all = this.steps.value;
    const chosen = this.chosen.value;
    if (chosen !== null) return all.find(({ line }) => line === chosen) ?? null;
    return this.failures.value.at(-1) ?? all.at(-1) ?? null;
  });

  /** Steps that failed. Of those of the run's end, the one that was under way comes last. */
  readonly failures = computed(() =>
    this.steps.value.filter((step) => step.state === "failed" && (step.kind === "tool" || step.kind === "model")),
  );

  /** How far the axis reaches, in ms since the request. A run at work has room before it. */
  whole(now: number): Span {
    const { steps } = this.store;
    if (steps.isEnded) return { from: 0, to: Math.max(1, steps.latest - steps.from) };
    return { from: 0, to: runningEnd(now - steps.from) };
  }

  choose(step: Step | null): void {
    this.chosen.value = step?.line ?? null;
    if (step) this.isFollowing.value = false;
  }

  /** Goes to the next or the previous step of those that are shown. */
  walk(by: 1 | -1): void {
    const shown = this.shown.value;
    const at = shown.findIndex(({ line }) => line === this.current.value?.line);
    const next = shown[Math.max(0, Math.min(shown.length - 1, at + by))];
    if (next) this.choose(next);
  }

  chooseFirstFailure(): void {
    const first = this.steps.value.find(({ state, kind }) => state === "failed" && kind !== "retry");
    if (first) this.choose(first);
  }

  follow(): void {
    this.chosen.value = null;
    this.isFollowing.value = true;
  }
}
