/** What of that which waits the next turn answers. Pure. */
import type { InboxItem } from "../protocol/agents/agent-files.ts";
import type { QueueMode } from "../protocol/agents/agents-settings.ts";

export type QueueRules = {
  now: number;
  /** Messages of one sender within so many ms are one. */
  joinWindowMs: number;
  modeOf: (item: InboxItem) => QueueMode;
};

/** What is next: a turn for these items, a while in which more may come, or nothing. */
export type Next = { take: InboxItem[] } | { waitMs: number } | null;

/** @param items all that waits, in the order in which it came */
export function nextTurn(items: readonly InboxItem[], { now, joinWindowMs, modeOf }: QueueRules): Next {
  const first = items.findIndex(({ silent }) => !silent);
  const trigger = items[first];
  if (!trigger) return null;
  // What was said silently before it belongs to its context.
  const take = items.slice(0, first + 1);
  if (trigger.type === "system") return { take };
  const isCollected = modeOf(trigger) === "collect";
  let last = trigger;
  for (const item of items.slice(first + 1)) {
    const isJoined = isCollected
      ? item.silent || (item.type === "user" && modeOf(item) === "collect")
      : item.silent || (isSameSender(item, trigger) && item.ts - last.ts <= joinWindowMs);
    if (!isJoined) break;
    take.push(item);
    if (!item.silent) last = item;
  }
  // Silent ones behind the last message wait for the next turn.
  take.length = take.lastIndexOf(last) + 1;
  const waitMs = Math.min(last.ts + joinWindowMs - now, joinWindowMs);
  return waitMs > 0 ? { waitMs } : { take };
}

export function isSameSender(a: InboxItem, b: InboxItem): boolean {
  if (a.type !== "user" || b.type !== "user") return false;
  const sender = ({ channel }: InboxItem) =>
    JSON.stringify([channel?.type, channel?.channelId, channel?.userId, channel?.replyTo]);
  return sender(a) === sender(b);
}
