/** The steps of a run that go on until a later event ends them: calls of tools, and waits for a person. */
import { numberOf, type RunEvent, type StepOf } from "./step.ts";
import type { StepList } from "./step-list.ts";
import { textOf } from "../words/json/read-json.ts";

/** Characters that are kept to be shown of what a tool prints while it runs. */
const shownOutput = 64 * 1024;

export class OpenSteps {
  readonly #list: StepList;
  readonly #calls = new Map<string, StepOf<"tool">>();
  readonly #waits = new Map<string, StepOf<"wait">>();

  constructor(list: StepList) {
    this.#list = list;
  }

  /** Whether a tool runs. */
  get hasCalls(): boolean {
    return this.#calls.size > 0;
  }

  beginCall(event: RunEvent): void {
    const callId = textOf(event["call_id"]);
    const call = { tool: textOf(event["tool"]), args: event["args"], callId };
    const step = this.#list.push(event, "tool", { ...call, result: undefined, parts: undefined, output: "" });
    Object.assign(step, { to: null, state: "running" });
    this.#calls.set(callId, step);
  }

  /** Takes what a tool prints while it runs. */
  addOutput(callId: string, text: string): void {
    const call = this.#calls.get(callId);
    if (call) call.output = (call.output + text).slice(-shownOutput);
  }

  /** Ends a call. One whose beginning wasn't told began no sooner than the run. @param from when the run began */
  endCall(event: RunEvent, from: number): void {
    const callId = textOf(event["call_id"]);
    const started = this.#calls.get(callId);
    const call = { tool: textOf(event["tool"]), args: event["args"], callId };
    const step =
      started ?? this.#list.push(event, "tool", { ...call, result: undefined, parts: undefined, output: "" });
    if (started) step.lines.push(event.seq);
    else step.from = Math.max(from, event.ts - numberOf(event["duration_ms"]));
    Object.assign(step, { result: event["result"], parts: event["parts"], to: event.ts });
    step.state = event["is_error"] === true ? "failed" : "done";
    this.#calls.delete(callId);
  }

  beginWait(event: RunEvent): void {
    const isTask = event.event === "clocks_stopped";
    const question = textOf(event["id"]);
    const why = isTask ? "A task waits for a decision" : textOf(event["why"]);
    const asked = { question, tool: textOf(event["tool"]), args: event["args"], why };
    const step = this.#list.push(event, "wait", { ...asked, decision: null, by: "" });
    Object.assign(step, { to: null, state: "running" });
    this.#waits.set(question, step);
  }

  endWait(event: RunEvent): void {
    const step = this.#waits.get(textOf(event["id"]));
    if (!step) return this.#list.pushNote(event, "done");
    step.lines.push(event.seq);
    step.decision = textOf(event["decision"]) || "decided";
    step.by = textOf(event["by"]);
    step.to = event.ts;
    step.state = step.decision === "deny" ? "failed" : "done";
    this.#waits.delete(step.question);
  }

  /** Ends all that is open: its end will never be told. */
  close(state: "failed" | "lost", at: number): void {
    for (const step of [...this.#calls.values(), ...this.#waits.values()]) Object.assign(step, { state, to: at });
    this.#calls.clear();
    this.#waits.clear();
  }
}
