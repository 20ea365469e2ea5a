/** Writes the summary of a conversation's older part: by a cheap model, else by the run's own, else as excerpts. */
import {
  chunksOf,
  excerptOf,
  summaryInstruction,
  summaryQuestion,
} from "../../../conversation/summary/summary-prompt.ts";
import { priceOf, windowOf } from "../../../conversation/size/model-window.ts";
import { headAndTail } from "../../../conversation/size/head-and-tail.ts";
import type { EventBody } from "../../../protocol/runs/event.ts";
import type { Message } from "../../../protocol/runs/run-config.ts";
import { type Provider, ProviderError } from "../../provider/provider.ts";
import type { UsageTotals } from "../../provider/usage.ts";
import { callModel } from "../run/model-call.ts";
import type { Run } from "../run/run.ts";

export type Summary = { text: string; model: string | null; cost_usd: number | null };

/** Waits before further tries, in seconds: the run itself waits for longer. */
const waits = [2, 8];

const mostChunks = 12;
/** A model whose window turns out smaller than was thought is given half as much, so often. */
const mostHalvings = 4;
/** Part of a model's window for a chunk; the rest is for the instruction and the summary. */
const shareOfChunk = 0.65;
/** Tokens of a chunk at most: a longer one is summed up less well. */
const mostOfChunk = 100_000;
const wordsPerToken = 0.5;

export class Summarizer {
  readonly #provider: Provider;
  readonly #model: string;
  readonly #run: Run;
  readonly #totals: UsageTotals;
  #cheap: Promise<string> | undefined;
  /** Model calls that it has made. */
  calls = 0;

  constructor(provider: Provider, model: string, run: Run, totals: UsageTotals) {
    this.#provider = provider;
    this.#model = model;
    this.#run = run;
    this.#totals = totals;
  }

  /**
   * @param window of the run's own model
   * @param most tokens of the summary
   * @param callsLeft so many model calls may be made
   * @throws once the run is cancelled
   */
  async write(messages: readonly Message[], window: number, most: number, callsLeft: number): Promise<Summary> {
    const begun = this.calls;
    const spent = { usd: 0 as number | null };
    const cheap = await (this.#cheap ??= this.#cheapModel());
    for (const model of new Set([cheap, this.#model])) {
      const itsWindow = model === this.#model ? window : ((await windowOf(this.#provider.name, model)) ?? window);
      let ofChunk = Math.min(mostOfChunk, itsWindow * shareOfChunk);
      for (let halvings = 0; halvings <= mostHalvings; halvings++, ofChunk /= 2) {
        const chunks = chunksOf(messages, ofChunk, mostChunks);
        if (this.calls - begun + chunks.length > callsLeft) break;
        try {
          const text = await this.#sumUp(model, chunks, Math.min(most, ofChunk / 2), spent);
          if (text !== "") return { text: headAndTail(text, most), model, cost_usd: spent.usd };
          break;
        } catch (error) {
          if (this.#run.signal.aborted || !(error instanceof ProviderError)) throw error;
          if (error.detail === "too_long") continue;
          await this.#run.emit({
            event: "info",
            message: `the conversation couldn't be summed up by ${model}: ${error.message}`,
          });
          break;
        }
      }
    }
    return { text: excerptOf(messages, most), model: null, cost_usd: spent.usd };
  }

  async #sumUp(model: string, chunks: string[], most: number, spent: { usd: number | null }): Promise<string> {
    let soFar = "";
    for (const chunk of chunks) {
      this.calls++;
      const text = summaryQuestion(chunk, soFar, Math.max(50, Math.floor(most * wordsPerToken)));
      const question = {
        model,
        instruction: summaryInstruction,
        context: "",
        messages: [{ role: "user" as const, text }],
        tools: [],
        toolChoice: "none" as const,
      };
      const { signal, inbox, clock, environment, config } = this.#run;
      const quiet = { signal, inbox, clock, environment, config: { ...config, stream: false, retry_seconds: waits } };
      const answer = await callModel(
        this.#provider,
        question,
        { ...quiet, emit: (event) => this.#pass(event, spent) },
        this.#totals,
      );
      const said = answer.parts
        .map((part) => (part.type === "text" ? part.text : ""))
        .join("")
        .trim();
      if (said === "" || answer.stop === "refusal") return "";
      soFar = headAndTail(said, most);
    }
    return soFar;
  }

  /** Its usage is the run's, and says for what it was; what it says isn't. */
  async #pass(event: EventBody, spent: { usd: number | null }): Promise<void> {
    if (event.event === "usage") {
      const cost = event["cost_usd"];
      spent.usd = spent.usd === null || typeof cost !== "number" ? null : spent.usd + cost;
      await this.#run.emit({ ...event, purpose: "compaction" });
    } else if (event.event === "retry" || event.event === "pulse") await this.#run.emit(event);
  }

  /** The one that the settings name, else the backend's cheap one where it is known to be cheaper. */
  async #cheapModel(): Promise<string> {
    const named = this.#run.config.compaction?.model;
    if (named !== undefined) return named;
    const { name, summaryModel } = this.#provider;
    if (summaryModel === undefined) return this.#model;
    const [cheap, own] = [await priceOf(name, summaryModel), await priceOf(name, this.#model)];
    return cheap !== undefined && own !== undefined && cheap < own ? summaryModel : this.#model;
  }
}
