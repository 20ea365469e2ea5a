/** Conversion of a run's events into records of its agent's history. */
import type { AgentEvent } from "../../protocol/runs/event.ts";
import { textField } from "../../protocol/runs/text-field.ts";
import type { HistoryRecord } from "../../protocol/agents/agent-files.ts";
import { UnfinishedText } from "../../protocol/runs/unfinished-text.ts";

/** The place of a record in its run: the attempt, and the model calls so far. */
export type RecordPlace = { step?: number; attempt?: number };

/** Makes the records of a run, event by event. */
export class RecordedEvents {
  #lastText: string | null = null;
  #provider: string | undefined;
  #model: string | undefined;
  #attempts = 0;
  /** Model calls so far. */
  #steps = 0;
  readonly #unfinished = new UnfinishedText();
  /** Since when a message is being said whose record is yet to come, and the inputs meanwhile. */
  #saying: { place: RecordPlace; inputs: number } | null = null;

  /** Returns the records that an event adds, but for those of inputs. The id of each is the event's place in its run. */
  of(event: AgentEvent): HistoryRecord[] {
    const unfinished = this.#unfinished.apply(event);
    const added = unfinished === "" ? [] : [this.#recordOfUnfinished(event, unfinished)];
    if (this.#unfinished.text.trim() === "") this.#saying = null;
    else this.#saying ??= { place: this.#place, inputs: 0 };
    if (event.event === "input" && this.#saying) this.#saying.inputs++;
    if (event.event === "start") this.#attempts++;
    if (event.event === "start" || event.event === "request") {
      const { backend, model } = event;
      if (typeof backend === "string") this.#provider = backend;
      if (typeof model === "string") this.#model = model;
    }
    if (event.event === "usage" && event["purpose"] === undefined) this.#steps++;
    const record = this.#recordOf(event);
    return record ? [...added, record] : added;
  }

  /** The place of an input, or of a summary, that comes now. */
  get place(): RecordPlace {
    return this.#saying?.place ?? this.#place;
  }

  get #place(): RecordPlace {
    return {
      ...(this.#steps > 0 && { step: this.#steps }),
      ...(this.#attempts > 1 && { attempt: this.#attempts }),
    };
  }

  #base({ ts, agent_id: run_id, seq }: AgentEvent) {
    return { ts, id: `${run_id}:${seq}`, run_id, ...this.#place };
  }

  #recordOf(event: AgentEvent): HistoryRecord | null {
    const base = this.#base(event);
    const call_id = textField(event, "call_id");
    switch (event.event) {
      case "text": {
        if (event["partial"] === true) return null;
        this.#lastText = textField(event, "text");
        return { ...base, type: "assistant", text: this.#lastText };
      }
      case "finish": {
        const text = textField(event, "result");
        return text === "" || text === this.#lastText ? null : { ...base, type: "assistant", text };
      }
      case "thinking":
      case "web_search":
        return this.#recordOfReasoning(event);
      case "tool_start":
        return { ...base, type: "tool_call", call_id, tool: textField(event, "tool"), args: event["args"] };
      case "tool_end":
        return {
          ...base,
          type: "tool_result",
          call_id,
          tool: event["tool"],
          result: event["result"],
          ...(event["parts"] !== undefined && { parts: event["parts"] }),
          ...(event["is_error"] === true && { is_error: true }),
        };
      default:
        return null;
    }
  }

  /** Records reasoning. Without its signed block it can't be given back to anyone: then nothing is kept but its place. */
  #recordOfReasoning(event: AgentEvent): HistoryRecord {
    const { model = this.#model, summary, opaque } = event;
    const base = { ...this.#base(event), type: "reasoning" as const };
    if (opaque === undefined || opaque === null) return base;
    return {
      ...base,
      ...(this.#provider !== undefined && { provider: this.#provider }),
      ...(typeof model === "string" && { model }),
      ...(event.event === "thinking" && typeof summary === "string" && { summary }),
      opaque,
    };
  }

  /** The record of what was said of a message that will never be whole, which an event made known. */
  #recordOfUnfinished(event: AgentEvent, text: string): HistoryRecord {
    const { step: _, attempt: __, ...base } = this.#base(event);
    const { place, inputs } = this.#saying ?? { place: this.#place, inputs: 0 };
    const meanwhile = inputs > 0 && { inputs };
    return {
      ...base,
      ...place,
      id: `${base.id}:unfinished`,
      type: "assistant",
      text,
      partial: true,
      ...meanwhile,
    };
  }
}
