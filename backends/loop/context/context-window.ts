/** How large a conversation may be for its model. Looked up when it comes near what any model takes: most never do. */
import { sellerOf, windowOf } from "../../../conversation/size/model-window.ts";
import type { RunConfig } from "../../../protocol/runs/run-config.ts";
import type { Provider } from "../../provider/provider.ts";

/** In `context_window`: each model that isn't named there. */
const anyModel = "*";

/** Where nobody says. */
const unknownWindow = 32_000;

/** Below this nobody is asked, in tokens: local servers often run with 4096, models that are sold take four times as many. */
const [leastLocal, leastSold] = [2_500, 12_000];

const patienceMs = 3_000;

export class ContextWindow {
  readonly #provider: Provider;
  readonly #model: string;
  readonly #signal: AbortSignal;
  #found: number | undefined;
  #learned = Number.POSITIVE_INFINITY;

  constructor(provider: Provider, model: string, { context_window: windows = {} }: RunConfig, signal: AbortSignal) {
    this.#provider = provider;
    this.#model = model;
    this.#signal = signal;
    this.#found = Object.hasOwn(windows, model) ? windows[model] : windows[anyModel];
  }

  /** As far as it was found out; undefined: nobody was asked yet, or there is no end to it. */
  get known(): number | undefined {
    const known = Math.min(this.#found ?? Number.POSITIVE_INFINITY, this.#learned);
    return Number.isFinite(known) ? known : undefined;
  }

  /** For a conversation of so many tokens; Infinity: large enough. */
  async for(size: number): Promise<number> {
    const isSold = sellerOf(this.#provider.name) !== null && !this.#provider.isLocal;
    if (this.#found === undefined && size < (isSold ? leastSold : leastLocal)) return this.#learned;
    this.#found ??= await this.#lookUp();
    return Math.min(this.#found, this.#learned);
  }

  /** A conversation of so many tokens was too long. */
  learn(size: number): void {
    this.#learned = Math.min(this.#learned, Math.max(1, Math.floor(size)));
  }

  async #lookUp(): Promise<number> {
    const provider = this.#provider;
    const ask = async () => {
      try {
        return await provider.contextWindow?.(
          this.#model,
          AbortSignal.any([this.#signal, AbortSignal.timeout(patienceMs)]),
        );
      } catch (error) {
        // It is a courtesy: a server that can't say it may answer all the same.
        if (this.#signal.aborted) throw error;
        return undefined;
      }
    };
    const listed = () => windowOf(provider.name, this.#model);
    // A server of the user's own may call its models as it likes.
    const found = provider.isLocal ? await ask() : ((await listed()) ?? (await ask()));
    return found ?? unknownWindow;
  }
}
