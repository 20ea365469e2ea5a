/** The steps of a run that is shared, from its events, one by one. Pure. */
import type { AgentEvent } from "../../../protocol/runs/event.ts";
import { textField } from "../../../protocol/runs/text-field.ts";
import { UnfinishedText } from "../../../protocol/runs/unfinished-text.ts";
import { block, type Html, html } from "./html.ts";
import type { Redact } from "./redaction.ts";

/** Characters of what was said, and of a call's arguments and result. */
const [mostSaid, mostOfCall] = [20_000, 4000];
/** From so many characters on a result is folded. */
const longResult = 400;
/** All steps together, in characters of HTML; then only the end is told. */
const mostOfSteps = 1_500_000;
/** Characters of a name. */
const mostName = 200;

export class ShareSteps {
  readonly #redact: Redact;
  readonly #steps: Html[] = [];
  readonly #unfinished = new UnfinishedText();
  #size = 0;
  #leftOut = 0;
  #from: number | null = null;

  constructor(redact: Redact) {
    this.#redact = redact;
  }

  get steps(): readonly Html[] {
    return this.#steps;
  }

  /** Steps that found no room. */
  get leftOut(): number {
    return this.#leftOut;
  }

  /** Takes the next event. Most say nothing to whoever reads. */
  add(event: AgentEvent): void {
    this.#from ??= event.ts;
    const unfinished = this.#unfinished.apply(event);
    if (unfinished !== "") this.#addStep(event, this.#said(unfinished));
    const body = this.#bodies[event.event]?.(event);
    if (body) this.#addStep(event, body);
  }

  #addStep({ ts }: AgentEvent, body: Html): void {
    const from = this.#from ?? ts;
    const step = html`<li><span class="at">${sinceText(ts - from)}</span><div>${body}</div></li>\n`;
    if (this.#size + step.html.length > mostOfSteps) return void this.#leftOut++;
    this.#size += step.html.length;
    this.#steps.push(step);
  }

  readonly #bodies: Record<string, (event: AgentEvent) => Html | null> = {
    text: (event) =>
      event["partial"] === true || textField(event, "text").trim() === "" ? null : this.#said(textField(event, "text")),
    thinking: (event) => {
      const summary = textField(event, "summary");
      if (summary.trim() === "") return null;
      return html`<details><summary>Reasoning</summary>${this.#said(summary)}</details>`;
    },
    tool_end: (event) => this.#call(event),
    web_search: (event) => html`<p class="what">Searched the web</p>${this.#code(event["query"] ?? event["queries"])}`,
    input: (event) => html`<p class="what">Said to it</p>${this.#said(textField(event, "text"))}`,
    permission: (event) =>
      html`<p class="what">Asked: may it call ${this.#name(event["tool"])}?</p>${this.#said(textField(event, "why"))}`,
    permission_decided: (event) => html`<p class="what">${event["decision"] === "allow" ? "Allowed" : "Denied"}</p>`,
    retry: (event) => html`<p class="small">Tried again:</p>${this.#said(textField(event, "reason"))}`,
    start: (event) =>
      Number(event["attempt"] ?? 1) > 1 ? html`<p class="small">Attempt ${Number(event["attempt"])}</p>` : null,
    error: (event) =>
      event["terminal"] === false
        ? html`<p class="what failed">Failed, and went on</p>${this.#said(textField(event, "error"))}`
        : null,
    saved: (event) => html`<p class="what">Saved as ${this.#name(event["path"])}</p>`,
  };

  #call(event: AgentEvent): Html {
    const { args, result, is_error: isError } = event;
    const failed = isError === true ? html` <span class="failed">failed</span>` : html``;
    return html`<p class="what">${this.#name(event["tool"] ?? "a tool")}${failed}</p>${this.#code(args)}${this.#folded(result)}`;
  }

  /** A long result stays folded: who reads on a phone comes to the next step. */
  #folded(result: unknown): Html {
    const { length } = asText(result);
    if (length <= longResult) return this.#code(result);
    const summary = `What came back, ${length.toLocaleString("en-US")} characters`;
    return html`<details><summary>${summary}</summary>${this.#code(result)}</details>`;
  }

  #name(value: unknown): Html {
    return html`<code>${this.#redact(String(value).slice(0, mostOfCall)).slice(0, mostName).toWellFormed()}</code>`;
  }

  #said(text: string): Html {
    return block(text, this.#redact, mostSaid);
  }

  #code(value: unknown): Html {
    const text = asText(value);
    return text === "" ? html`` : block(text, this.#redact, mostOfCall, "code");
  }
}

/** A value in words: a text as it is, anything else as JSON. */
export function asText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

const [secondMs, minuteMs, hourMs] = [1000, 60_000, 3_600_000];

/** A length of time, as in `1 h 5 min`. */
export function sinceText(ms: number): string {
  const length = Math.max(0, ms);
  if (length < minuteMs) return `${(length / secondMs).toFixed(1)} s`;
  const minutes = Math.floor((length % hourMs) / minuteMs);
  if (length < hourMs) return `${minutes} min ${Math.floor((length % minuteMs) / secondMs)} s`;
  return `${Math.floor(length / hourMs)} h ${minutes} min`;
}
