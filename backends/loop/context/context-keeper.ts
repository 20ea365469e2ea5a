/** Keeps a run's conversation such that its model takes it: sums up what is older when it grows too large, or was refused. */
import { cutConversation, isWorthSumming, withShortResults } from "../../../conversation/summary/compaction.ts";
import { isSummary, summaryIn, summaryMessage } from "../../../conversation/summary/summary-message.ts";
import { sellerOf } from "../../../conversation/size/model-window.ts";
import { ImageSizes } from "../../../files/image-sizes.ts";
import type { EventBody } from "../../../protocol/runs/event.ts";
import type { Message } from "../../../protocol/runs/run-config.ts";
import type { CallUsage, Provider } from "../../provider/provider.ts";
import type { UsageTotals } from "../../provider/usage.ts";
import { type CallFrame, ContextSize } from "./context-size.ts";
import { ContextWindow } from "./context-window.ts";
import type { Run } from "../run/run.ts";
import { Summarizer } from "./summarizer.ts";

/** Part of the window from which on is summed up, unless the settings say. */
const usualAt = 0.8;
/** Parts of the room for messages: those that are kept, and the summary. */
const [shareOfKept, shareOfSummary] = [0.4, 0.2];
/** At most, in tokens: they stand in the event as well. */
const [mostKept, mostSummary] = [40_000, 8_000];
/** A result larger than this part of the window is given as its head and tail. */
const shareOfResult = 0.25;
/** The part of the window that is kept free for an answer at most. */
const mostForAnswer = 0.5;

/** Tools that read the result of a call by its path. */
const readers = ["read", "get_resource"];

const nothingSummedUp = "(Nothing is left out but the middle of long results.)";

/** The sizes that are tried next when a model refuses a conversation as too long, time after time. */
const steps = [
  { size: 0.6, results: shareOfResult },
  { size: 0.3, results: shareOfResult },
  { size: 0.2, results: 0.1 },
  { size: 0.1, results: 0.03 },
] as const;

export class ContextKeeper {
  readonly #run: Run;
  readonly #images: ImageSizes;
  readonly #size: ContextSize;
  readonly #window: ContextWindow;
  readonly #summarizer: Summarizer;
  #mostOfResult = Number.POSITIVE_INFINITY;
  #refused = { times: 0, size: 0 };
  /** The conversation that couldn't be made smaller, by its estimate: nothing is tried again before it has grown. */
  #least = 0;

  constructor(run: Run, provider: Provider, model: string, frame: CallFrame, totals: UsageTotals) {
    this.#run = run;
    this.#images = new ImageSizes(run.config.attachments_folder);
    this.#size = new ContextSize(frame, sellerOf(provider.name), this.#images);
    this.#window = new ContextWindow(provider, model, run.config, run.signal);
    this.#summarizer = new Summarizer(provider, model, run, totals);
  }

  /** Model calls that were made for summaries. */
  get calls(): number {
    return this.#summarizer.calls;
  }

  /** The messages as they are sent: long results as their heads and tails. */
  shown(messages: readonly Message[]): readonly Message[] {
    return Number.isFinite(this.#mostOfResult) ? this.#withShortResults(messages, this.#mostOfResult) : messages;
  }

  /** The messages are sent. */
  asking(messages: readonly Message[]): void {
    this.#size.asking(messages);
  }

  /** Computes the sizes of the conversation from a call's usage. */
  sizesAfter(usage: CallUsage | undefined): { context_tokens?: number; context_window?: number } {
    const tokens = this.#size.counted(usage);
    const { known } = this.#window;
    return {
      ...(tokens !== undefined && { context_tokens: tokens }),
      ...(known !== undefined && { context_window: known }),
    };
  }

  /** The event that sums up a conversation which is about to be too large; null where there is room, or nothing to sum up. */
  async makeRoom(messages: readonly Message[], callsLeft: number): Promise<EventBody | null> {
    this.#refused = { times: 0, size: 0 };
    await this.#images.look(messages);
    const whole = this.#size.of(messages);
    const window = await this.#window.for(whole);
    const limit = this.#limitOf(window);
    if (!Number.isFinite(limit)) return null;
    this.#mostOfResult = Math.min(this.#mostOfResult, Math.floor(window * shareOfResult));
    const sent = this.shown(messages);
    const size = this.#size.of(sent);
    if (size < limit || this.#size.estimate(sent) <= this.#least) return null;
    return this.#compact(sent, limit, size, callsLeft);
  }

  /** The same after the model has refused it as too long; null where there is nothing left to try. */
  async makeSmaller(messages: readonly Message[], callsLeft: number): Promise<EventBody | null> {
    await this.#images.look(messages);
    const size = this.#size.of(this.shown(messages));
    if (this.#refused.times === 0) this.#refused.size = size;
    for (let step = steps[this.#refused.times]; step; step = steps[this.#refused.times]) {
      this.#refused.times++;
      const window = this.#refused.size * step.size;
      this.#window.learn(window / usualAt);
      this.#mostOfResult = Math.min(this.#mostOfResult, Math.max(50, Math.floor(window * step.results)));
      const sent = this.shown(messages);
      const compacted = await this.#compact(sent, window, size, callsLeft);
      if (compacted) return compacted;
    }
    return null;
  }

  #limitOf(window: number): number {
    const { at = usualAt, most = Number.POSITIVE_INFINITY } = this.#run.config.compaction ?? {};
    const answer = Math.min(this.#run.config.max_tokens ?? 0, window * mostForAnswer);
    return Math.min(window * at, window - answer, most);
  }

  #withShortResults(messages: readonly Message[], most: number): Message[] {
    const { tools = [] } = this.#run.config;
    return withShortResults(
      messages,
      most,
      readers.find((reader) => tools.includes(reader)),
    );
  }

  /** Sums up to fit into so many tokens. Null: there is nothing that could be made smaller. */
  async #compact(
    messages: readonly Message[],
    limit: number,
    before: number,
    callsLeft: number,
  ): Promise<EventBody | null> {
    const size = this.#size;
    // What goes along with each call may be most of a small window.
    const room = Math.max(limit * 0.2, size.asEstimated(limit) - size.frame);
    const mostOfKept = Math.min(mostKept, room * shareOfKept);
    const cut = cutConversation(messages, mostOfKept, this.#run.config.prompt, (some) => size.estimate(some));
    const isSummed = isWorthSumming(cut);
    const [first] = messages;
    const former = first && isSummary(first) ? first : undefined;
    const whole = former ? messages.slice(1) : messages;
    const kept = this.#withShortResults(isSummed ? cut.kept : whole, Math.min(this.#mostOfResult, room * shareOfKept));
    const most = Math.max(150, Math.min(mostSummary, Math.floor(room * shareOfSummary)));
    if (!isSummed && size.estimate(kept) >= size.estimate(whole)) {
      this.#least = size.estimate(messages);
      return null;
    }
    const written = isSummed ? await this.#summarizer.write(cut.older, limit, most, callsLeft) : null;
    const summary = written?.text ?? (former ? summaryIn(former) : nothingSummedUp);
    size.forget();
    const event = {
      event: "compacted",
      summary,
      kept,
      replaced: isSummed ? cut.older.length : 0,
      tokens_before: before,
      cost_usd: written ? written.cost_usd : 0,
      model: written?.model ?? null,
    };
    const tokens_after = size.of([summaryMessage(summary), ...kept]);
    // The next try is made when it has grown again.
    this.#least = tokens_after >= limit ? size.estimate([summaryMessage(summary), ...kept]) + most : 0;
    return { ...event, tokens_after };
  }
}
