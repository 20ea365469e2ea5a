/** The events of a run become its steps, line by line: pure, and the same whether they come live or are read from the file. */
import { UnfinishedText } from "./unfinished-text.ts";
import { OpenSteps } from "./open-steps.ts";
import { numberOf, type RunEvent, type Step, type StepOf, type StepUsage } from "./step.ts";
import { StepList } from "./step-list.ts";
import { textOf } from "../words/json/read-json.ts";

export class RunSteps {
  /** When the run began, and the latest time that was heard of. */
  from = 0;
  latest = 0;
  isEnded = false;
  /** Since when the model has been asked, where it is; what it has said that stands in no line yet. */
  asking: { since: number } | null = null;
  said = "";

  readonly #unfinished = new UnfinishedText();
  #lastLine = 0;
  /** The model call that texts and reasoning belong to. */
  #model: StepOf<"model"> | null = null;
  readonly #list = new StepList();
  readonly #open = new OpenSteps(this.#list);

  get steps(): Step[] {
    return this.#list.steps;
  }

  get attempt(): number {
    return this.#list.attempt;
  }

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
    this.#takeEvent({ ...event, ts });
    this.latest = Math.max(this.latest, ts);
  }

  /** Takes what is on the bus alone: a piece of an answer, or of what a tool prints. */
  addLive(event: { event: string; [field: string]: unknown }): void {
    const text = textOf(event["text"]);
    if (event.event === "text_delta" && this.asking) this.said += text;
    if (event.event === "tool_output") this.#open.addOutput(textOf(event["call_id"]), text);
  }

  #takeEvent(event: RunEvent): void {
    const unfinished = this.#unfinished.apply(event);
    if (unfinished !== "") this.#leave(event, unfinished);
    switch (event.event) {
      case "request":
        return void this.#list.push(event, "input", {
          text: textOf(event["prompt"]),
          isRequest: true,
          parts: event["parts"],
        });
      case "input":
        return void this.#list.push(event, "input", {
          text: textOf(event["text"]),
          isRequest: false,
          parts: event["parts"],
        });
      case "start":
        return this.#start(event);
      case "usage":
        return this.#used(event);
      case "thinking":
        return this.#addToModelStep(event, (step) => step.reasoning.push(textOf(event["summary"])));
      case "text":
        if (event["partial"] === true) return this.#hearPiece();
        this.said = "";
        return this.#addToModelStep(event, (step) => step.texts.push(textOf(event["text"])));
      case "web_search":
        return this.#addToModelStep(event, (step) => step.searches.push(...queriesOf(event)));
      case "retry":
        return this.#retry(event);
      case "cut_off":
        this.#list.pushNote(event, "done");
        return this.#setAsking(event.ts, this.#unfinished.text);
      case "tool_start":
        return this.#call(event);
      case "tool_end":
        this.#open.endCall(event, this.from);
        return this.#open.hasCalls ? undefined : this.#setAsking(event.ts);
      case "permission":
      case "clocks_stopped":
        return this.#open.beginWait(event);
      case "permission_decided":
      case "clocks_resumed":
        return this.#open.endWait(event);
      case "finish":
        return this.#end(event, "done", textOf(event["result"]));
      case "error":
        if (event["terminal"] === false) return this.#list.pushNote(event, "failed");
        return this.#end(event, "failed", textOf(event["error"]));
      default:
        return this.#list.pushNote(event, event.event === "save_failed" ? "failed" : "done");
    }
  }

  /** Takes the pieces so far; one that hears them live may have more of them already. */
  #hearPiece(): void {
    const { text } = this.#unfinished;
    if (this.asking && this.said.length < text.length) this.said = text;
  }

  /** Leaves the text of a message that will never be whole to the model call that said it. */
  #leave(event: RunEvent, text: string): void {
    const isTold = this.#model !== null && this.asking === null;
    const step = isTold && this.#model ? this.#model : this.#modelStep({ ...event, seq: event.seq - 0.5 });
    step.texts.push(text);
    if (event.event !== "tool_start") step.state = event.event === "start" ? "lost" : "failed";
  }

  #start(event: RunEvent): void {
    const attempt = Math.max(1, Math.round(numberOf(event["attempt"])));
    if (attempt > this.attempt) {
      this.#open.close("lost", this.latest);
      this.#list.attempt = attempt;
      this.#list.push(event, "attempt", { model: textOf(event["model"]) });
    }
    this.#model = null;
    this.#setAsking(event.ts);
  }

  #setAsking(since: number | null, said = ""): void {
    this.asking = since === null ? null : { since };
    this.said = said;
  }

  #used(event: RunEvent): void {
    const usage = usageOf(event);
    // Of an agent that tells what it used after what it said.
    if (this.#model !== null && this.#model.usage === null) {
      this.#model.usage = usage;
      this.#model.lines.push(event.seq);
      return;
    }
    this.#modelStep(event).usage = usage;
  }

  #addToModelStep(event: RunEvent, keep: (step: StepOf<"model">) => void): void {
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
    const step = this.#list.push(event, "model", {
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
    const step = this.#list.push(event, "retry", { reason: textOf(event["reason"]), delayMs });
    step.from = Math.min(this.asking?.since ?? event.ts, event.ts);
    step.to = event.ts + delayMs;
    step.state = "failed";
    this.#model = null;
    this.#setAsking(step.to);
  }

  #call(event: RunEvent): void {
    // A call without a word before it, of an agent that doesn't tell what it used, comes from a model call, too.
    if (this.asking !== null && event.ts - this.asking.since > 0) this.#modelStep({ ...event, seq: event.seq - 0.5 });
    this.#setAsking(null);
    this.#model?.calls.push(textOf(event["tool"]));
    this.#open.beginCall(event);
  }

  #end(event: RunEvent, state: "done" | "failed", text: string): void {
    if (state === "failed" && this.asking !== null && event.ts - this.asking.since > 1000 && !this.#open.hasCalls)
      this.#modelStep({ ...event, seq: event.seq - 0.5 }).state = "failed";
    this.#open.close(state === "failed" ? "failed" : "lost", event.ts);
    if (state === "done" && this.#model) this.#model.isAnswer = true;
    const step = this.#list.push(event, "end", {
      text,
      reason: textOf(event["reason"]) || null,
      trace: textOf(event["trace"]),
    });
    step.state = state;
    this.#setAsking(null);
    this.isEnded = true;
  }
}

const queriesOf = (event: RunEvent): string[] =>
  Array.isArray(event["queries"]) ? event["queries"].map(textOf).filter((query) => query !== "") : [];

const usageOf = (event: RunEvent): StepUsage => ({
  model: textOf(event["model"]) || null,
  inputTokens: numberOf(event["input_tokens"]),
  outputTokens: numberOf(event["output_tokens"]),
  reasoningTokens: numberOf(event["reasoning_tokens"]),
  costUsd: typeof event["cost_usd"] === "number" ? numberOf(event["cost_usd"]) : null,
});
