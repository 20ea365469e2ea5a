/** The events of a run become its steps, line by line: pure, and the same whether they come live or are read from the file. */
import { numberOf, type RunEvent, type Step, type StepKind, type StepOf, textOf } from "./step.ts";

/** Of what a tool prints while it runs, this much is kept to be shown. */
const shownOutput = 64 * 1024;

const numbered: ReadonlySet<StepKind> = new Set(["input", "model", "tool"]);

export class RunSteps {
  readonly steps: Step[] = [];
  /** When the run began, and the latest time that was heard of. */
  from = 0;
  latest = 0;
  attempt = 1;
  isEnded = false;
  /** Since when the model has been asked, where it is; `text` is what it has said so far. */
  asking: { since: number; text: string } | null = null;

  #lastLine = 0;
  #count = 0;
  /** The model call that texts and reasoning belong to. */
  #model: StepOf<"model"> | null = null;
  readonly #running = new Map<string, StepOf<"tool">>();
  readonly #waits = new Map<string, StepOf<"wait">>();

  /** Number of the last line that was read: what to go on after. */
  get lastLine(): number {
    return this.#lastLine;
  }

  /** Takes a line of the file. One that was taken already changes nothing. */
  add(event: RunEvent): void {
    if (event.seq <= this.#lastLine) return;
    if (this.#lastLine === 0) this.from = event.ts;
    this.#lastLine = event.seq;
    // A clock may have been set back: no step ends before it began.
    const ts = Math.max(event.ts, this.from);
    this.#take({ ...event, ts });
    this.latest = Math.max(this.latest, ts);
  }

  /** Takes what is on the bus alone: a piece of an answer, or of what a tool prints. */
  addLive(event: { event: string; [field: string]: unknown }): void {
    const text = textOf(event["text"]);
    if (event.event === "text_delta" && this.asking) this.asking = { ...this.asking, text: this.asking.text + text };
    if (event.event !== "tool_output") return;
    const call = this.#running.get(textOf(event["call_id"]));
    if (call) call.output = (call.output + text).slice(-shownOutput);
  }

  #take(event: RunEvent): void {
    switch (event.event) {
      case "request":
        return void this.#push(event, "input", {
          text: textOf(event["prompt"]),
          isRequest: true,
          parts: event["parts"],
        });
      case "input":
        return void this.#push(event, "input", {
          text: textOf(event["text"]),
          isRequest: false,
          parts: event["parts"],
        });
      case "start":
        return this.#start(event);
      case "usage":
        return this.#used(event);
      case "thinking":
        return this.#say(event, (step) => step.reasoning.push(textOf(event["summary"])));
      case "text":
        return this.#say(event, (step) => step.texts.push(textOf(event["text"])));
      case "web_search":
        return this.#say(event, (step) => step.searches.push(...queriesOf(event)));
      case "retry":
        return this.#retry(event);
      case "tool_start":
        return this.#call(event);
      case "tool_end":
        return this.#called(event);
      case "permission":
      case "clocks_stopped":
        return this.#wait(event);
      case "permission_decided":
      case "clocks_resumed":
        return this.#decided(event);
      case "finish":
        return this.#end(event, "done", textOf(event["result"]));
      case "error":
        if (event["terminal"] === false) return this.#note(event, "failed");
        return this.#end(event, "failed", textOf(event["error"]));
      default:
        return this.#note(event, event.event === "save_failed" ? "failed" : "done");
    }
  }

  #start(event: RunEvent): void {
    const attempt = Math.max(1, Math.round(numberOf(event["attempt"])));
    if (attempt > this.attempt) {
      this.#closeRunning("lost", this.latest);
      this.attempt = attempt;
      this.#push(event, "attempt", { model: textOf(event["model"]) });
    }
    this.#model = null;
    this.asking = { since: event.ts, text: "" };
  }

  #used(event: RunEvent): void {
    const usage = {
      model: textOf(event["model"]) || null,
      inputTokens: numberOf(event["input_tokens"]),
      outputTokens: numberOf(event["output_tokens"]),
      reasoningTokens: numberOf(event["reasoning_tokens"]),
      costUsd: typeof event["cost_usd"] === "number" ? numberOf(event["cost_usd"]) : null,
    };
    // Of an agent that tells what it used after what it said.
    if (this.#model !== null && this.#model.usage === null) {
      this.#model.usage = usage;
      this.#model.lines.push(event.seq);
      return;
    }
    this.#modelStep(event).usage = usage;
  }

  #say(event: RunEvent, keep: (step: StepOf<"model">) => void): void {
    const isNew = this.#model === null || (this.#model.usage === null && this.asking !== null);
    const step = isNew || this.#model === null ? this.#modelStep(event) : this.#model;
    if (!step.lines.includes(event.seq)) step.lines.push(event.seq);
    if (step.usage === null) step.to = event.ts;
    keep(step);
  }

  /** A model call that ends now. It began when the model could be asked. */
  #modelStep(event: RunEvent): StepOf<"model"> {
    const since = this.asking?.since ?? this.#model?.to ?? event.ts;
    this.asking = null;
    const step = this.#push(event, "model", {
      reasoning: [],
      texts: [],
      searches: [],
      calls: [],
      isAnswer: false,
      usage: null,
    });
    step.from = Math.min(since, event.ts);
    this.#model = step;
    return step;
  }

  #retry(event: RunEvent): void {
    const delayMs = numberOf(event["delay_ms"]);
    const step = this.#push(event, "retry", { reason: textOf(event["reason"]), delayMs });
    step.from = Math.min(this.asking?.since ?? event.ts, event.ts);
    step.to = event.ts + delayMs;
    step.state = "failed";
    this.#model = null;
    this.asking = { since: step.to, text: "" };
  }

  #call(event: RunEvent): void {
    // A call without a word before it, of an agent that doesn't tell what it used, comes from a model call, too.
    if (this.asking !== null && event.ts - this.asking.since > 0) this.#modelStep({ ...event, seq: event.seq - 0.5 });
    this.asking = null;
    const callId = textOf(event["call_id"]);
    const call = { tool: textOf(event["tool"]), args: event["args"], callId };
    this.#model?.calls.push(call.tool);
    const step = this.#push(event, "tool", { ...call, result: undefined, parts: undefined, output: "" });
    Object.assign(step, { to: null, state: "running" });
    this.#running.set(callId, step);
  }

  #called(event: RunEvent): void {
    const callId = textOf(event["call_id"]);
    const started = this.#running.get(callId);
    const [tool, args] = [textOf(event["tool"]), event["args"]];
    const step =
      started ?? this.#push(event, "tool", { tool, args, callId, result: undefined, parts: undefined, output: "" });
    if (started) step.lines.push(event.seq);
    else step.from = Math.max(this.from, event.ts - numberOf(event["duration_ms"]));
    Object.assign(step, { result: event["result"], parts: event["parts"], to: event.ts });
    step.state = event["is_error"] === true ? "failed" : "done";
    this.#running.delete(callId);
    if (this.#running.size === 0) this.asking = { since: event.ts, text: "" };
  }

  #wait(event: RunEvent): void {
    const isTask = event.event === "clocks_stopped";
    const question = textOf(event["id"]);
    const why = isTask ? "A task waits for a decision" : textOf(event["why"]);
    const asked = { question, tool: textOf(event["tool"]), args: event["args"], why };
    const step = this.#push(event, "wait", { ...asked, decision: null, by: "" });
    Object.assign(step, { to: null, state: "running" });
    this.#waits.set(question, step);
  }

  #decided(event: RunEvent): void {
    const step = this.#waits.get(textOf(event["id"]));
    if (!step) return this.#note(event, "done");
    step.lines.push(event.seq);
    step.decision = textOf(event["decision"]) || "decided";
    step.by = textOf(event["by"]);
    step.to = event.ts;
    step.state = step.decision === "deny" ? "failed" : "done";
    this.#waits.delete(step.question);
  }

  #end(event: RunEvent, state: "done" | "failed", text: string): void {
    if (state === "failed" && this.asking !== null && event.ts - this.asking.since > 1000 && this.#running.size === 0)
      this.#modelStep({ ...event, seq: event.seq - 0.5 }).state = "failed";
    this.#closeRunning(state === "failed" ? "failed" : "lost", event.ts);
    if (state === "done" && this.#model) this.#model.isAnswer = true;
    const step = this.#push(event, "end", {
      text,
      reason: textOf(event["reason"]) || null,
      trace: textOf(event["trace"]),
    });
    step.state = state;
    this.asking = null;
    this.isEnded = true;
  }

  #closeRunning(state: "failed" | "lost", at: number): void {
    for (const step of [...this.#running.values(), ...this.#waits.values()]) Object.assign(step, { state, to: at });
    this.#running.clear();
    this.#waits.clear();
  }

  #note(event: RunEvent, state: "done" | "failed"): void {
    const text = noteFields.map((field) => textOf(event[field])).find((found) => found !== "") ?? "";
    const runId = textOf(event["to"]) || textOf(event["run_id"]) || null;
    this.#push(event, "note", { name: event.event, text, runId }).state = state;
  }

  #push<Kind extends StepKind>(
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
}

const noteFields = ["message", "error", "path", "agent", "text", "patch", "worker"];

const queriesOf = (event: RunEvent): string[] =>
  Array.isArray(event["queries"]) ? event["queries"].map(textOf).filter((query) => query !== "") : [];
