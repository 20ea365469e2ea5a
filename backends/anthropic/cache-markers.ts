/**
 * Cache markers: the API keeps what it has read up to them, so that the next call pays a tenth for it. It takes four markers; three are
 * set: behind tools and instruction, which are the same in each call of a run and in other runs of the persona; behind what the
 * user side said last; and behind what it said last in the call before, where that call left its own. Pure.
 */
import type { WireMessage } from "./messages.ts";

type Marked = { cache_control: { type: "ephemeral" } };

/** The list with a marker on its last item. */
export function withLastMarked<T extends object>(items: readonly T[]): (T | (T & Marked))[] {
  return items.map((item, at) =>
    at === items.length - 1 ? { ...item, cache_control: { type: "ephemeral" as const } } : item,
  );
}

/** The user's messages, results of tools included, are the ends of calls; the API takes no marker on reasoning. */
export function markHistory(messages: readonly WireMessage[]): WireMessage[] {
  const ends = messages.flatMap(({ role }, at) => (role === "user" ? [at] : [])).slice(-2);
  return messages.map((message, at) =>
    ends.includes(at) ? { ...message, content: withLastMarked(message.content) } : message,
  );
}
