/** The conversation that a run's events tell, while it grows: events in, provider-neutral messages out. Pure. */
import type { FilePart } from "../protocol/files/attachment.ts";
import { type EventBody, eventShapes } from "../protocol/runs/event.ts";
import type { Message, Reasoning } from "../protocol/runs/run-config.ts";
import { saidBefore } from "./said-before.ts";
import { unmarkedValue } from "./system-message.ts";

/*
 * An assistant message holds, in this order: reasoning, text, calls. So a new one begins
 * - where reasoning comes after text or calls, and text after calls: within one message that order would be lost;
 * - at a `usage` event after calls: the loop writes one for each model call. Without it, calls one after the other belong to
 *   one message, which is how the log of a turn with several calls looks;
 * - behind something the user said, and at a `start`: a later attempt goes on in the same conversation.
 *
 * Neighbours of the same role are left apart. Responses, Messages and generateContent accept them, and whoever needs strict
 * alternation (chat templates of local models) can merge them, while nobody could take a merged one apart again.
 */
export class Transcript {
  readonly #messages: Message[] = [];
  /** What the user said since: it stands behind the results of the turn that it came into, as the model hears it. */
  #inputs: Message[] = [];
  /** The assistant message that may still grow. */
  #open: Message | undefined;
  /** The calls of that message. */
  readonly #callIds = new Set<string>();
  #lastText: string | undefined;
  #provider: string | undefined;
  #model: string | undefined;
  #hasPrompt = false;

  /** Takes the next event. One that isn't understood, or lacks a field, says nothing. */
  add(event: EventBody): void {
    if (isSaid(event.event)) rows[event.event](this, event);
  }

  /** The conversation so far, oldest first. Not repaired: a call may still be without its result. */
  messages(): Message[] {
    return [...this.#messages, ...this.#inputs];
  }

  /** What was said before the prompt, where its request says it. */
  before(messages: readonly Message[]): void {
    if (!this.#hasPrompt) this.#messages.push(...messages);
  }

  prompt(text: string | undefined, provider: unknown, model: unknown, parts?: FilePart[]): void {
    this.#open = undefined;
    if (typeof provider === "string") this.#provider = provider;
    if (typeof model === "string") this.#model = model;
    if (text === undefined || this.#hasPrompt) return;
    this.#hasPrompt = true;
    this.#messages.push(userMessage(text, parts));
  }

  input(text: string, parts?: FilePart[]): void {
    this.#inputs.push(userMessage(text, parts));
  }

  thinking(summary: string | undefined, model: string | undefined, opaque: unknown): void {
    this.#hear();
    if (this.#open?.text !== undefined || this.#open?.calls) this.#open = undefined;
    // Without its signed block, reasoning can't be given back to anyone.
    if (opaque === undefined || opaque === null) return;
    const block: Reasoning = { opaque };
    if (this.#provider !== undefined) block.provider = this.#provider;
    if ((model ?? this.#model) !== undefined) block.model = model ?? this.#model;
    if (summary !== undefined) block.summary = summary;
    const message = this.#assistant();
    (message.reasoning ??= []).push(block);
  }

  text(text: string): void {
    if (text.trim() === "") return;
    this.#hear();
    if (this.#open?.calls) this.#open = undefined;
    const message = this.#assistant();
    message.text = message.text === undefined ? text : `${message.text}\n\n${text}`;
    this.#lastText = text;
  }

  result(text: string): void {
    if (text !== this.#lastText) this.text(text);
    else this.#hear();
  }

  toolStart(tool: string, args: unknown, callId: string): void {
    const message = this.#assistant();
    if (!message.calls) this.#callIds.clear();
    if (this.#callIds.has(callId)) return;
    this.#callIds.add(callId);
    (message.calls ??= []).push({ call_id: callId, tool, args });
  }

  toolEnd(callId: string, result: unknown, isError: boolean | undefined, parts?: FilePart[]): void {
    const message: Message = { role: "tool", call_id: callId, result: unmarkedValue(result), ...(parts && { parts }) };
    if (isError) message.is_error = true;
    this.#messages.push(message);
  }

  modelCalled(): void {
    if (this.#open?.calls) this.#open = undefined;
    if (!this.#open) this.#hear();
  }

  /** What the user said goes before what the model says next. */
  #hear(): void {
    if (this.#inputs.length === 0) return;
    this.#messages.push(...this.#inputs);
    this.#inputs = [];
    this.#open = undefined;
  }

  #assistant(): Message {
    if (!this.#open) {
      this.#open = { role: "assistant" };
      this.#messages.push(this.#open);
    }
    return this.#open;
  }
}

const userMessage = (text: string, parts?: FilePart[]): Message => ({
  role: "user",
  text,
  ...(parts && parts.length > 0 && { parts }),
});

/** What each event says to the model. Fields come from files and from foreign programs: each row reads its own. */
const rows = {
  request: (to: Transcript, event: EventBody) => {
    const { success, data } = eventShapes.request.safeParse(event);
    if (!success) return;
    to.before(saidBefore(event));
    to.prompt(data.prompt, data["backend"], data["model"], data.parts);
  },
  start: (to: Transcript, event: EventBody) => {
    const { success, data } = eventShapes.start.safeParse(event);
    if (success) to.prompt(data.prompt, data.backend, data.model, data.parts);
  },
  input: (to: Transcript, event: EventBody) => {
    const { success, data } = eventShapes.input.safeParse(event);
    if (success) to.input(data.text, data.parts);
  },
  thinking: (to: Transcript, event: EventBody) => {
    const { success, data } = eventShapes.thinking.safeParse(event);
    if (success) to.thinking(data.summary, data.model, data.opaque);
  },
  // Its pages stand as links in the text; the blocks travel like signed reasoning, in their place.
  web_search: (to: Transcript, event: EventBody) => {
    const { success, data } = eventShapes.web_search.safeParse(event);
    if (success) to.thinking(undefined, data.model, data.opaque);
  },
  text: (to: Transcript, event: EventBody) => {
    const { success, data } = eventShapes.text.safeParse(event);
    if (success) to.text(data.text);
  },
  tool_start: (to: Transcript, event: EventBody) => {
    const { success, data } = eventShapes.tool_start.safeParse(event);
    if (success) to.toolStart(data.tool, data.args, data.call_id);
  },
  tool_end: (to: Transcript, event: EventBody) => {
    const { success, data } = eventShapes.tool_end.safeParse(event);
    if (success) to.toolEnd(data.call_id, data.result, data.is_error, data.parts);
  },
  usage: (to: Transcript) => to.modelCalled(),
  finish: (to: Transcript, event: EventBody) => {
    const { success, data } = eventShapes.finish.safeParse(event);
    if (success) to.result(data.result);
  },
} as const;

/** The events that say something. */
export const saidEvents = Object.keys(rows);

export function isSaid(name: string): name is keyof typeof rows {
  return Object.hasOwn(rows, name);
}
