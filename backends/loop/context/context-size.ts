/** How large a conversation is for its model: the provider's last count, and an estimate of what came since. */
import { textTokens } from "../../../conversation/size/text-tokens.ts";
import { TokenRatio } from "../../../conversation/size/token-ratio.ts";
import { estimateTokens } from "../../../conversation/size/tokens.ts";
import type { ImageSizes } from "../../../files/image-sizes.ts";
import type { Message } from "../../../protocol/runs/run-config.ts";
import type { CallUsage, ToolDescription } from "../../provider/provider.ts";

/** The parts that go along with each call beside the messages. */
export type CallFrame = { instruction: string; context: string; tools: readonly ToolDescription[] };

/** A count below this part of the estimate isn't one, but for so many tokens. */
const [leastCounted, enough] = [0.3, 1000];

export class ContextSize {
  readonly #seller: string | null;
  readonly #images: ImageSizes;
  /** Estimate of what goes along with each call. */
  readonly frame: number;
  readonly #ratio = new TokenRatio();
  /** The provider's count of the last call, and the estimate of its messages. */
  #last: { counted: number; estimated: number } | undefined;
  #asked = 0;

  constructor({ instruction, context, tools }: CallFrame, seller: string | null, images: ImageSizes) {
    this.#seller = seller;
    this.#images = images;
    this.frame = textTokens(instruction) + textTokens(context) + estimateTokens([{ role: "user", result: tools }]);
  }

  estimate(messages: readonly Message[]): number {
    return estimateTokens(this.#images.sized(messages), this.#seller);
  }

  /** In tokens of the provider's. */
  of(messages: readonly Message[]): number {
    const estimated = this.estimate(messages);
    if (!this.#last) return this.#ratio.corrected(this.frame + estimated);
    const added = estimated - this.#last.estimated;
    return Math.max(0, this.#last.counted + Math.sign(added) * this.#ratio.corrected(Math.abs(added)));
  }

  /** Tokens of the provider's as the estimate counts them. */
  asEstimated(tokens: number): number {
    return Math.floor(tokens / this.#ratio.value);
  }

  /** The messages are sent. */
  asking(messages: readonly Message[]): void {
    this.#asked = this.estimate(messages);
  }

  /** Takes the count of the messages that were sent. Returns how large the conversation is with the answer. */
  counted(usage: CallUsage | undefined): number | undefined {
    const estimated = this.frame + this.#asked;
    // One that is far too low leaves out what a cache had: it says nothing.
    if (!usage || usage.input_tokens <= 0 || usage.input_tokens < leastCounted * (estimated - enough)) return undefined;
    this.#ratio.learn(usage.input_tokens, estimated);
    this.#last = { counted: usage.input_tokens, estimated: this.#asked };
    return usage.input_tokens + usage.output_tokens;
  }

  /** The conversation is another one. */
  forget(): void {
    this.#last = undefined;
  }
}
