/**
 * Calls that can't be made, of a tool that isn't there or with arguments that are none: the tool server never hears of them,
 * so a run that makes the same one again and again is noticed here. No person is asked: to allow it would change nothing.
 */
import { canonicalJson } from "../../../protocol/json/canonical-json.ts";
import { cutDepth } from "../../../protocol/json/cut-depth.ts";
import { RunFailure } from "../../provider/failure.ts";

/** So many equal ones in a row, where the settings don't say. */
const usualLimit = 5;

export class RefusedCalls {
  readonly #limit: number;
  #last = "";
  #times = 0;

  /** @param limit the settings' `loop_limit` */
  constructor(limit = usualLimit) {
    this.#limit = limit;
  }

  /** @throws RunFailure when it is the same once too often */
  add(tool: string, args: unknown): void {
    const call = canonicalJson(cutDepth([tool, args]));
    this.#times = call === this.#last ? this.#times + 1 : 1;
    this.#last = call;
    if (this.#times < this.#limit) return;
    const name = JSON.stringify(tool.slice(0, 100));
    throw new RunFailure("loop", `it made the same call ${this.#times} times in a row (${name}), which can't be made`);
  }

  /** Another call was made meanwhile. */
  forget(): void {
    this.#times = 0;
  }
}
