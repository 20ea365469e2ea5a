/** The steps of a run in the order in which they began, each with its number. */
import type { RunEvent, Step, StepKind, StepOf } from "./step.ts";
import { textOf } from "../words/json/read-json.ts";

const numbered: ReadonlySet<StepKind> = new Set(["input", "model", "tool"]);

/** Where the text of an event is looked for that has no step of its own. */
const noteFields = ["message", "error", "path", "agent", "text", "patch", "worker"];

export class StepList {
  readonly steps: Step[] = [];
  attempt = 1;
  #count = 0;

  /** Adds a step that begins and ends with an event. */
  push<Kind extends StepKind>(
    event: RunEvent,
    kind: Kind,
    own: Omit<StepOf<Kind>, "kind" | "line" | "lines" | "from" | "to" | "attempt" | "state" | "number">,
  ): StepOf<Kind> {
    const number = numbered.has(kind) ? ++this.#count : 0;
    const { seq, ts } = event;
    const base = { line: seq, lines: Number.isInteger(seq) ? [seq] : [], from: ts, to: ts, attempt: this.attempt };
    const step = { ...base, ...own, kind, number, state: "done" } as unknown as StepOf<Kind>;
    this.steps.push(step as Step);
    return step;
  }

  /** Adds an event that is a step by itself: of cortex, or of a name that isn't known. */
  pushNote(event: RunEvent, state: "done" | "failed"): void {
    const text = noteFields.map((field) => textOf(event[field])).find((found) => found !== "") ?? "";
    const runId = textOf(event["to"]) || textOf(event["run_id"]) || null;
    this.push(event, "note", { name: event.event, text, runId }).state = state;
  }
}
