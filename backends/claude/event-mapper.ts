/**
 * Maps the messages of Claude Code to our events. The parts of a message of the model go out when the message is whole: one that
 * breaks off is asked for again, and nothing of it has gone out then.
 */
import type {
  ModelUsage,
  SDKAssistantMessage,
  SDKMessage,
  SDKPartialAssistantMessage,
  SDKUserMessage,
} from "@anthropic-ai/claude-agent-sdk";
import type { FinishReason } from "../../protocol/events/usage.ts";
import type { EventBody } from "../../protocol/runs/event.ts";
import { costUsd } from "../provider/prices.ts";
import type { Run } from "../loop/run/run.ts";
import { SaidPieces } from "../loop/run/said-pieces.ts";
import { bounded } from "../loop/calls/tool-result.ts";
import type { SessionUsage } from "./sessions.ts";
import { type ApiUsage, usageDifference, noUsage, sumOfUsage, callUsage, sessionUsage } from "./usage.ts";

/** At most one pulse in this time. From docs/contract.md. */
const pulseMs = 5_000;

type Part = EventBody & { event: "thinking" | "text" | "tool_start" | "tool_end" };
/** A message of the model that isn't whole yet. */
type Open = { id: string; model: string; usage: ApiUsage; stop: string | null; parts: Part[] };
type Call = { tool: string; args: unknown; call_id: string };

/** The API's reasons for the end of a call; all others are `stop`. */
const reasons: Readonly<Record<string, FinishReason>> = {
  tool_use: "tool_calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  refusal: "refusal",
};

export class EventMapper {
  readonly #run: Run;
  #open: Open | undefined;
  #lastId: string | undefined;
  /** Texts of the last message, which are the answer unless something follows. */
  #held: string[] = [];
  /** The last message was cut off, by its limit or with the connection: Claude Code asks the model to go on from there. */
  #isCut = false;
  readonly #calls = new Map<string, Call & { started: number }>();
  /** The pieces of the open message, until it is whole. */
  #pieces: SaidPieces | undefined;
  #lastSign: number;
  /** The model that answered last. */
  model: string;
  /** Usage of the model calls seen so far. */
  used: SessionUsage = noUsage;

  constructor(run: Run, model: string) {
    this.#run = run;
    this.model = model;
    this.#lastSign = run.clock.now();
  }

  /** The answer, once the session has ended. */
  get answer(): string {
    return this.#held.join("\n\n");
  }

  async handle(message: SDKMessage): Promise<void> {
    if (message.type === "stream_event") await this.#handleStream(message.event);
    else if (message.type === "assistant") await this.#handleMessage(message);
    else if (message.type === "user") await this.#handleResults(message);
    else if (message.type === "system" && message.subtype === "api_retry") {
      await this.#dropOpenMessage();
      const { attempt, retry_delay_ms: delay_ms, error, error_status: status } = message;
      await this.#run.emit({
        event: "retry",
        attempt,
        delay_ms,
        reason: status === null ? error : `${status} ${error}`,
        ...(status !== null && { status }),
      });
    } else if (message.type === "system" && message.subtype === "informational") {
      await this.#run.emit({ event: "info", message: message.content });
    }
  }

  /** Emits what was held as the answer: something followed, so it was text on the way. */
  async #emitHeld(): Promise<void> {
    const texts = this.#held;
    this.#held = [];
    for (const text of texts) await this.#run.emit({ event: "text", text });
  }

  /** The session ends before its answer: what was said until then is kept. */
  async leave(): Promise<void> {
    await this.#emitHeld();
    await this.#pieces?.keepRest();
    await this.#dropOpenMessage();
  }

  /** Drops the message that will never be whole. What it used is paid for all the same. */
  async #dropOpenMessage(): Promise<void> {
    await this.#pieces?.[Symbol.asyncDispose]();
    if (!this.#open) return;
    await this.#emitUsage(this.#open);
    this.#open = undefined;
  }

  /**
   * Usage of the whole session, and this run's part of it. Claude Code also counts calls that it doesn't show, such as those
   * that make a conversation shorter: their usage is emitted here.
   * @param before the session's usage when it was resumed
   */
  async finalUsage(
    models: Record<string, ModelUsage>,
    before: SessionUsage,
  ): Promise<{ total: SessionUsage; own: SessionUsage }> {
    await this.#dropOpenMessage();
    const total = sessionUsage(models);
    const own = usageDifference(total, before);
    // The count of a session that was resumed is as good as what was kept of it.
    const isWhole = own.input_tokens >= this.used.input_tokens && own.output_tokens >= this.used.output_tokens;
    if (!isWhole) return { total, own: this.used };
    const unseen = usageDifference(own, this.used);
    if (unseen.input_tokens + unseen.output_tokens > 0) {
      await this.#run.emit({ event: "usage", model: this.model, ...unseen, purpose: "internal" });
      this.used = sumOfUsage(this.used, unseen);
    }
    return { total, own: { ...own, cost_usd: own.cost_usd ?? this.used.cost_usd } };
  }

  async #handleStream(event: SDKPartialAssistantMessage["event"]): Promise<void> {
    const { clock, config, emit } = this.#run;
    if (event.type === "message_start") {
      await this.#dropOpenMessage();
      const { id, model, usage } = event.message;
      this.#open = { id, model, usage, stop: null, parts: [] };
      this.#pieces = new SaidPieces(clock, (text) => emit({ event: "text", text, partial: true }));
    } else if (event.type === "content_block_delta" && event.delta.type === "text_delta") {
      this.#pieces?.add(event.delta.text);
      if (config.stream) {
        this.#lastSign = clock.now();
        await emit({ event: "text_delta", text: event.delta.text });
      }
    } else if (event.type === "message_delta" && this.#open) {
      this.#open.stop = event.delta.stop_reason;
      const said = Object.entries(event.usage).filter(([, value]) => value !== null && value !== undefined);
      this.#open.usage = { ...this.#open.usage, ...Object.fromEntries(said) };
    } else if (event.type === "message_stop") {
      await this.#finishMessage();
    }
    if (clock.now() - this.#lastSign < pulseMs) return;
    this.#lastSign = clock.now();
    await emit({ event: "pulse" });
  }

  /** A block of a message that is being streamed, or a message that came whole. */
  async #handleMessage({ message, error }: SDKAssistantMessage): Promise<void> {
    // Claude Code's own words about an error: the result has them too.
    if (error !== undefined || message.model === "<synthetic>") return;
    const isStreamed = this.#open?.id === message.id;
    if (!isStreamed) await this.#dropOpenMessage();
    const { id, model, usage, stop_reason: stop } = message;
    this.#open ??= { id, model, usage, stop, parts: [] };
    for (const block of message.content) {
      if (block.type === "thinking") {
        this.#open.parts.push({ event: "thinking", summary: block.thinking, model: message.model });
      } else if (block.type === "text" && block.text.trim() !== "") {
        this.#open.parts.push({ event: "text", text: block.text });
      } else if (block.type === "tool_use") {
        const call = { tool: block.name, args: block.input, call_id: block.id };
        this.#calls.set(call.call_id, { ...call, started: this.#run.clock.now() });
        this.#open.parts.push({ event: "tool_start", ...call });
      }
    }
    if (!isStreamed) await this.#finishMessage();
  }

  async #handleResults({ message }: SDKUserMessage): Promise<void> {
    if (typeof message.content === "string") return;
    for (const block of message.content) {
      if (block.type !== "tool_result") continue;
      const call = this.#calls.get(block.tool_use_id);
      if (!call) continue;
      this.#calls.delete(block.tool_use_id);
      const { started, ...known } = call;
      const duration_ms = this.#run.clock.now() - started;
      const result = bounded(textOf(block.content));
      const part: Part = { event: "tool_end", ...known, result, is_error: block.is_error === true, duration_ms };
      // A call may be done before the model has said all of its message.
      if (this.#open) this.#open.parts.push(part);
      else await this.#run.emit(part);
    }
  }

  async #finishMessage(): Promise<void> {
    const open = this.#open;
    if (!open) return;
    this.#open = undefined;
    await this.#pieces?.[Symbol.asyncDispose]();
    if (open.id !== this.#lastId) await this.#emitUsage(open);
    this.#lastId = open.id;
    const isAnswer = open.parts.every(({ event }) => event === "thinking" || event === "text");
    const goesOn = this.#isCut && isAnswer;
    this.#isCut = open.stop === null || open.stop === "max_tokens";
    if (!goesOn) await this.#emitHeld();
    for (const part of open.parts) {
      if (isAnswer && part.event === "text") this.#hold(String(part["text"]), goesOn);
      else await this.#run.emit(part);
    }
  }

  #hold(text: string, goesOn: boolean): void {
    if (goesOn && this.#held.length > 0) this.#held.push((this.#held.pop() ?? "") + text);
    else this.#held.push(text);
  }

  async #emitUsage({ model, usage, stop }: Open): Promise<void> {
    const tokens = callUsage(usage);
    const used = { ...tokens, cost_usd: await costUsd("anthropic", model, tokens) };
    this.model = model;
    this.used = sumOfUsage(this.used, used);
    const finish_reason =
      stop === null ? (this.#run.signal.aborted ? "cancelled" : "error") : (reasons[stop] ?? "stop");
    const context_tokens = used.input_tokens + used.output_tokens;
    await this.#run.emit({
      event: "usage",
      model,
      ...used,
      finish_reason,
      ...(context_tokens > 0 && { context_tokens }),
    });
  }
}

type Content = Extract<
  Exclude<SDKUserMessage["message"]["content"], string>[number],
  { type: "tool_result" }
>["content"];

function textOf(content: Content): string {
  if (typeof content === "string") return content;
  return (content ?? []).map((block) => (block.type === "text" ? block.text : `[${block.type}: not shown]`)).join("\n");
}
