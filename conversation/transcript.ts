/** The conversation of a run, while it grows: what was said in, provider-neutral messages out. Pure. */
import type { FilePart } from "../protocol/files/attachment.ts";
import type { Message, Reasoning } from "../protocol/runs/run-config.ts";
import { goOnAfterCut } from "./marks/go-on.ts";
import { summaryMessage } from "./summary/summary-message.ts";
import { unmarkedValue } from "./marks/system-message.ts";

/*
 * An assistant message holds, in this order: reasoning, text, calls. So a new one begins
 * - where reasoning comes after text or calls, and text after calls: within one message that order would be lost;
 * - at a `usage` event after calls: the loop writes one for each model call. Without it, calls one after the other belong to
 *   one message, which is how the log of a turn with several calls looks;
 * - behind something the user said, and at a `start`: a later attempt goes on in the same conversation.
 *
 * Pieces of a message that isn't whole are one text, until the whole takes its place, and what was said to go on from it.
 *
 * Neighbours of the same role are left apart. Responses, Messages and generateContent accept them, and whoever needs strict
 * alternation (chat templates of local models) can merge them, while nobody could take a merged one apart again.
 */
export class Transcript {
  #messages: Message[];
  /**
   * The inputs of the user since: they stand behind the results of the turn that they came into, as the model hears
   * them.
   */
  #inputs: Message[] = [];
  /** The assistant message that may still grow. */
  #open: Message | undefined;
  /** The calls of that message. */
  readonly #callIds = new Set<string>();
  /** Whether it begins at a summary: nothing that was said before is in it. */
  isFromSummary = false;
  #lastText: string | undefined;
  #provider: string | undefined;
  #model: string | undefined;
  #hasPrompt = false;
  /** The message that isn't whole yet. */
  #unfinished: Unfinished | undefined;
  /** The inputs of this attempt, heard or not. */
  #ownInputs: Message[] = [];

  /** @param before the conversation that the run goes on from */
  constructor(before: readonly Message[] = []) {
    this.#messages = [...before];
  }

  /** The conversation so far, oldest first. Not repaired: a call may still be without its result. */
  messages(): Message[] {
    return [...this.#messages, ...this.#inputs];
  }

  /** Adds the conversation before the prompt, where its request says it. */
  before(messages: readonly Message[]): void {
    if (!this.#hasPrompt) this.#messages.push(...messages);
  }

  /** A run, or an attempt of it, begins. */
  begin(): void {
    this.#open = undefined;
    this.#unfinished = undefined;
    this.#ownInputs = [];
  }

  prompt(text: string | undefined, provider: unknown, model: unknown, parts?: FilePart[]): void {
    this.begin();
    if (typeof provider === "string") this.#provider = provider;
    if (typeof model === "string") this.#model = model;
    if (text === undefined || this.#hasPrompt) return;
    this.#hasPrompt = true;
    this.#messages.push(userMessage(text, parts));
  }

  input(text: string, parts?: FilePart[]): void {
    const message = userMessage(text, parts);
    this.#inputs.push(message);
    this.#ownInputs.push(message);
  }

  /** @param provider absent: the one that the run was told of last */
  thinking(
    summary: string | undefined,
    model: string | undefined,
    opaque: unknown,
    provider: string | undefined = this.#provider,
  ): void {
    this.#addInputs();
    // Pieces may come before the reasoning that led to them: that is told when it is whole.
    const hasPieces = this.#open !== undefined && this.#open === this.#unfinished?.message;
    const saidBefore = hasPieces ? this.#unfinished?.before : this.#open?.text;
    if (saidBefore !== undefined || this.#open?.calls) this.#open = undefined;
    // Without its signed block, reasoning can't be given back to anyone.
    if (opaque === undefined || opaque === null) return;
    const block: Reasoning = { opaque };
    if (provider !== undefined) block.provider = provider;
    if ((model ?? this.#model) !== undefined) block.model = model ?? this.#model;
    if (summary !== undefined) block.summary = summary;
    const message = this.#assistant();
    (message.reasoning ??= []).push(block);
  }

  text(text: string): void {
    if (text.trim() === "") return;
    this.#dropUnfinished();
    this.#addInputs();
    if (this.#open?.calls) this.#open = undefined;
    const message = this.#assistant();
    message.text = joined(message.text, text);
    this.#lastText = text;
  }

  /** A piece of a message. */
  piece(text: string): void {
    const goesOn = this.#unfinished !== undefined && this.#unfinished.message === this.#open;
    if (!goesOn) {
      if (text.trim() === "") return;
      this.#addInputs();
      if (this.#open?.calls) this.#open = undefined;
      const message = this.#assistant();
      this.#unfinished = { message, before: message.text, pieces: "", former: this.#unfinished };
    }
    const one = this.#unfinished;
    if (!one) return;
    one.pieces += text;
    one.message.text = joined(one.before, one.pieces);
  }

  /** The pieces of the model call that failed were said to nobody. */
  retried(): void {
    const { message, before, former, goOn } = this.#unfinished ?? {};
    if (!message || goOn) return;
    this.#takeBack(message, before);
    this.#unfinished = former;
  }

  /** The next call goes on from the pieces: a conversation has to end with the user. */
  cutOff(): void {
    if (!this.#unfinished) return;
    this.#unfinished.goOn = userMessage(goOnAfterCut);
    this.#messages.push(this.#unfinished.goOn);
    this.#open = undefined;
  }

  compacted(summary: string, kept: readonly Message[], inputs: number): void {
    // Those that the model hadn't heard yet, however the file's order has them.
    this.#inputs = this.#ownInputs.slice(inputs);
    this.#messages = [summaryMessage(summary), ...structuredClone(kept)];
    this.#open = undefined;
    this.#hasPrompt = true;
    this.isFromSummary = true;
    this.#unfinished = refound(this.#unfinished, this.#messages);
  }

  result(text: string): void {
    this.#dropUnfinished();
    if (text !== this.#lastText) this.text(text);
    else this.#addInputs();
  }

  /** The whole has come. */
  #dropUnfinished(): void {
    for (let one = this.#unfinished; one; one = one.former) {
      const { goOn } = one;
      this.#takeBack(one.message, one.before);
      if (goOn) this.#messages = this.#messages.filter((message) => message !== goOn);
    }
    this.#unfinished = undefined;
  }

  #takeBack(message: Message, before: string | undefined): void {
    if (before === undefined) delete message.text;
    else message.text = before;
    const isEmpty = message.text === undefined && !message.reasoning && !message.calls;
    if (!isEmpty) return;
    this.#messages = this.#messages.filter((one) => one !== message);
    if (this.#open === message) this.#open = undefined;
  }

  toolStart(tool: string, args: unknown, callId: string): void {
    this.#unfinished = undefined;
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
    if (!this.#open) this.#addInputs();
  }

  /** Adds the waiting inputs of the user before what the model says next. */
  #addInputs(): void {
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

/** The text of a message so far. */
type Unfinished = {
  message: Message;
  /** The text of the message without it. */
  before: string | undefined;
  pieces: string;
  /** The words that the user is made to say when it was cut off, so that the model goes on. */
  goOn?: Message;
  /** The one that it goes on from. */
  former: Unfinished | undefined;
};

const joined = (before: string | undefined, text: string) => (before === undefined ? text : `${before}\n\n${text}`);

/** The same message in a conversation that was made shorter; undefined where it isn't there any more. */
function refound(one: Unfinished | undefined, messages: readonly Message[]): Unfinished | undefined {
  if (!one) return undefined;
  const at = messages.findLastIndex(({ role, text }) => role === "assistant" && text === one.message.text);
  const [message, next] = [messages[at], messages[at + 1]];
  if (!message || (one.goOn && next?.text !== one.goOn.text)) return undefined;
  return { ...one, message, ...(one.goOn && next && { goOn: next }), former: refound(one.former, messages) };
}

const userMessage = (text: string, parts?: FilePart[]): Message => ({
  role: "user",
  text,
  ...(parts && parts.length > 0 && { parts }),
});
