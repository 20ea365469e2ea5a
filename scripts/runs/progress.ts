/** Shows a run on stderr while it goes on: a live line a tool at a terminal, plain lines elsewhere. */
import type { AgentEvent } from "../../protocol/runs/event.ts";
import { textField } from "../../protocol/runs/text-field.ts";
import { UnfinishedText } from "../../protocol/runs/unfinished-text.ts";
import { duration, shorten } from "../command/layout/text.ts";
import { searchText } from "./search-text.ts";
import { ownSequence } from "../../proc/logging/terminal.ts";

export type ProgressOutput = {
  isTTY?: boolean | undefined;
  columns?: number | undefined;
  write: (text: string) => unknown;
};

const eraseLine = "\r\u001b[2K";
const everyMs = 100;
const fallbackColumns = 80;

/** Follows the events of one run. */
export class Progress implements Disposable {
  readonly #output: ProgressOutput;
  readonly #isLive: boolean;
  readonly #hasColor: boolean;
  readonly #unfinished = new UnfinishedText();
  readonly #running = new Map<string, { label: string; started: number }>();
  #timer: NodeJS.Timeout | undefined;

  constructor(output: ProgressOutput, env: NodeJS.ProcessEnv = process.env) {
    this.#output = output;
    this.#isLive = output.isTTY === true && env["TERM"] !== "dumb";
    this.#hasColor = this.#isLive && !env["NO_COLOR"];
  }

  show(event: AgentEvent): void {
    const unfinished = this.#unfinished.apply(event);
    if (unfinished !== "") this.#line(this.#dim(shorten(unfinished, 2000)));
    switch (event.event) {
      case "start":
        return this.#line(
          this.#dim(`run ${event.agent_id} · ${nameOf(event["persona"])} on ${nameOf(event["backend"])}`),
        );
      case "tool_start":
        return this.#toolStarts(textField(event, "call_id"), label(event));
      case "tool_end":
        return this.#toolEnds(event);
      case "text":
        return event["partial"] === true ? undefined : this.#line(this.#dim(shorten(textField(event, "text"), 2000)));
      case "web_search":
        return this.#line(this.#dim(shorten(searchText(event), 200)));
      case "info":
        return this.#line(this.#dim(shorten(textField(event, "message"), 500)));
      case "retry":
        return this.#line(
          `retry ${textField(event, "attempt")} in ${duration(Number(event["delay_ms"]))}: ${shorten(textField(event, "reason"), 200)}`,
        );
      case "error":
        return event["terminal"] === false ? this.#line(shorten(textField(event, "error"), 500)) : undefined;
      case "saved":
        return this.#line(this.#dim(`saved ${textField(event, "path")}`));
      default:
        return undefined;
    }
  }

  /** A line that isn't about an event. */
  noteText(text: string): void {
    this.#line(text);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    if (this.#isLive) this.#output.write(this.#own(eraseLine));
  }

  #toolStarts(callId: string, text: string): void {
    this.#running.set(callId, { label: text, started: performance.now() });
    if (!this.#isLive) return this.#line(`${text} … running`);
    this.#timer ??= setInterval(() => this.#redraw(), everyMs);
    this.#redraw();
  }

  #toolEnds(event: AgentEvent): void {
    const call = this.#running.get(textField(event, "call_id"));
    this.#running.delete(textField(event, "call_id"));
    const ms =
      typeof event["duration_ms"] === "number" ? event["duration_ms"] : performance.now() - (call?.started ?? 0);
    const mark = event["is_error"] === true ? this.#color("✗", 31) : this.#color("✓", 32);
    this.#line(`${call?.label ?? label(event)} ${mark} ${duration(ms)}`);
  }

  #line(text: string): void {
    this.#output.write(`${this.#isLive ? this.#own(eraseLine) : ""}${text}\n`);
    this.#redraw();
  }

  #redraw(): void {
    const call = [...this.#running.values()].at(-1);
    if (!this.#isLive || !call) return;
    const since = duration(performance.now() - call.started);
    const width = (this.#output.columns ?? fallbackColumns) - since.length - 14;
    this.#output.write(`${this.#own(eraseLine)}${shorten(call.label, width)} … running ${since}`);
  }

  #dim(text: string): string {
    return this.#color(text, 2);
  }

  #own(sequence: string): string {
    return ownSequence(sequence, this.#output);
  }

  #color(text: string, code: number): string {
    return this.#hasColor ? `${this.#own(`\u001b[${code}m`)}${text}${this.#own("\u001b[0m")}` : text;
  }
}

function label(event: AgentEvent): string {
  const args = event["args"];
  const shown = args === undefined || args === null ? "" : shorten(JSON.stringify(args), 60);
  return `${shorten(textField(event, "tool") || "tool", 40)} ${shown}`.trimEnd();
}

const nameOf = (value: unknown) => (typeof value === "string" ? shorten(value, 64) : "?");
