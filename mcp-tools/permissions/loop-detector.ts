/** Notices a run that goes in a circle: the same call again and again, or the same few calls in the same order. */
import { createHash } from "node:crypto";
import type { CallToolResult } from "@modelcontextprotocol/server";
import { canonicalJson } from "../../protocol/json/canonical-json.ts";
import { isRecord } from "../../protocol/json/json-object.ts";
import { circleIn, mostOfCircle } from "../../protocol/runs/circle.ts";

/** Runs whose calls are remembered: the one that was silent longest goes first. */
const mostRuns = 1000;

/** Tools that look at what goes on by itself: such a call is made again to see whether something has changed. */
const looking = new Set(["process_list", "process_output", "task_list", "task_status", "task_wait"]);

/** A call, hashed, and of a tool that looks at something what was seen; absent as long as nobody knows. */
type Call = { content: string; seen?: string };

export class LoopDetector {
  /** The latest calls of each run, the newest last. */
  readonly #calls = new Map<string, Call[]>();
  #waits = 0;

  /**
   * Counts a call. A circle is told once: counting begins anew behind it.
   * @param limit so many equal calls in a row are one
   * @returns what goes round, for a person to read; null: nothing does
   */
  add(run: string, tool: string, args: unknown, limit: number): string | null {
    const calls = [...(this.#calls.get(run) ?? []), { content: contentOf(tool, args) }];
    const circle = circleIn(calls, limit, isSame);
    this.#calls.delete(run);
    this.#calls.set(run, circle === null ? calls.slice(-mostOfCircle(limit)) : []);
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > mostRuns && oldest !== undefined) this.#calls.delete(oldest);
    return circle;
  }

  /** Notes the result of a call. One that looks again, and sees something else, repeats nothing. */
  answered(run: string, tool: string, args: unknown, result: CallToolResult): void {
    if (!looking.has(tool)) return;
    const content = contentOf(tool, args);
    const call = this.#calls.get(run)?.findLast((one) => one.content === content && one.seen === undefined);
    if (call) call.seen = hasWaited(tool, result) ? `wait ${++this.#waits}` : hashOf(canonicalJson(result));
  }
}

/** Whether a call has waited in vain: that is no circle, since what it waits for has limits of its own. */
const hasWaited = (tool: string, { structuredContent: answer }: CallToolResult) =>
  tool === "task_wait" && isRecord(answer) && answer["done"] === false && answer["interrupted"] === undefined;

const isSame = (a: Call, b: Call) =>
  a.content === b.content && (a.seen === undefined || b.seen === undefined || a.seen === b.seen);

const contentOf = (tool: string, args: unknown) => hashOf(canonicalJson([tool, args ?? {}]));
const hashOf = (text: string) => createHash("sha256").update(text).digest("base64");
