/**
 * Calls that can't be made, of a tool that isn't there or with arguments that are none: the tool server never hears of them,
 * so a run that makes the same ones again and again is noticed here. No person is asked: to allow it would change nothing.
 */
import { canonicalJson } from "../../../protocol/json/canonical-json.ts";
import { cutDepth } from "../../../protocol/json/cut-depth.ts";
import { circleIn, mostOfCircle, usualLoopLimit } from "../../../protocol/runs/circle.ts";
import { RunFailure } from "../../provider/failure.ts";

export class RefusedCalls {
  readonly #limit: number;
  /** The latest ones, the newest last. */
  #calls: string[] = [];

  /** @param limit the settings' `loop_limit` */
  constructor(limit = usualLoopLimit) {
    this.#limit = limit;
  }

  /** @throws RunFailure when it goes in a circle with those before it */
  add(tool: string, args: unknown): void {
    const call = canonicalJson(cutDepth([tool, args]));
    this.#calls = [...this.#calls, call].slice(-mostOfCircle(this.#limit));
    const circle = circleIn(this.#calls, this.#limit);
    if (circle === null) return;
    const name = JSON.stringify(tool.slice(0, 100));
    throw new RunFailure("loop", `it made ${circle} (${name}), which can't be made`);
  }

  /** Another call was made meanwhile. */
  forget(): void {
    this.#calls = [];
  }
}
