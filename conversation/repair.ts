/** Makes a conversation one that every provider accepts: each call has exactly one result, right after it. Pure, idempotent. */
import type { Message, ToolCall } from "../protocol/runs/run-config.ts";
import { asArguments } from "./arguments.ts";

/** The result that stands for a call that never ended. From docs/contract.md. */
export const neverEnded = { cancelled: true, reason: "process restarted" } as const;

/**
 * - The results of a message's calls stand right behind it, in the order of the calls.
 * - A call without a result gets one that says so; of several the first counts; a result without a call is left out.
 * - Ids are unique in the whole conversation: providers refuse a repeated one, and several count from 1 in each turn.
 * - A message that says nothing, or nothing but reasoning, is left out: what the reasoning led to was lost.
 */
export function repair(messages: readonly Message[]): Message[] {
  const ids = new UniqueIds(messages);
  const results = new Results(messages);
  return messages.flatMap((message, at) => {
    if (message.role === "tool") return [];
    const wanted = callsOf(message);
    if (wanted.length === 0) return message.text?.trim() || message.parts?.length ? [withoutCalls(message)] : [];
    const calls: ToolCall[] = [];
    const answers: Message[] = [];
    for (const call of firstOfEach(wanted)) {
      const id = ids.next(call.call_id);
      calls.push({ ...call, call_id: id, args: asArguments(call.args) });
      const result = results.after(at, call.call_id) ?? { role: "tool", result: neverEnded, is_error: true };
      answers.push({ ...result, call_id: id });
    }
    return [{ ...message, calls }, ...answers];
  });
}

function callsOf(message: Message): ToolCall[] {
  return message.role === "assistant" ? (message.calls ?? []) : [];
}

function withoutCalls(message: Message): Message {
  const { calls, ...rest } = message;
  return calls ? rest : message;
}

function firstOfEach(calls: readonly ToolCall[]): ToolCall[] {
  const seen = new Set<string>();
  return calls.filter(({ call_id }) => !seen.has(call_id) && seen.add(call_id));
}

/** Hands out an id once, and a similar one after that. */
class UniqueIds {
  readonly #given = new Set<string>();
  readonly #wanted: ReadonlySet<string>;
  readonly #lastNumber = new Map<string, number>();

  constructor(messages: readonly Message[]) {
    this.#wanted = new Set(messages.flatMap(callsOf).map((call) => call.call_id));
  }

  next(id: string): string {
    const base = id || "call";
    let unique = base;
    // An id that another call has by itself stays that call's: otherwise a second repair would rename again.
    while (this.#given.has(unique) || (unique !== id && this.#wanted.has(unique))) {
      const number = (this.#lastNumber.get(base) ?? 1) + 1;
      this.#lastNumber.set(base, number);
      unique = `${base}-${number}`;
    }
    this.#given.add(unique);
    return unique;
  }
}

/** Where each call and each result of an id stands. A result belongs to the last call of its id before it. */
class Results {
  readonly #calls = new Map<string, number[]>();
  readonly #results = new Map<string, { at: number; message: Message }[]>();

  constructor(messages: readonly Message[]) {
    for (const [at, message] of messages.entries()) {
      if (message.role === "tool") {
        if (message.call_id !== undefined) push(this.#results, message.call_id, { at, message });
      } else {
        for (const call of callsOf(message)) push(this.#calls, call.call_id, at);
      }
    }
  }

  after(at: number, id: string): Message | undefined {
    const next = firstBehind(this.#calls.get(id) ?? [], at, (call) => call) ?? Number.POSITIVE_INFINITY;
    const result = firstBehind(this.#results.get(id) ?? [], at, (known) => known.at);
    return result && result.at < next ? result.message : undefined;
  }
}

/** The first of a sorted list that stands behind a place. Searched by halves: an agent may use one id without end. */
function firstBehind<T>(sorted: readonly T[], place: number, placeOf: (item: T) => number): T | undefined {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (placeOf(sorted[middle] as T) > place) to = middle;
    else from = middle + 1;
  }
  return sorted[from];
}

function push<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}
