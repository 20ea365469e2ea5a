/** Selection of the inbox items for the next turn. Pure. */
import type { InboxItem } from "../../protocol/agents/agent-files.ts";
import type { QueueMode } from "../../protocol/agents/agents-settings.ts";

export type QueueRules = {
  now: number;
  /** Messages of one sender within so many ms are one. */
  joinWindowMs: number;
  modeOf: (item: InboxItem) => QueueMode;
};

/** Channels on which a message is long and finished: each has a turn of its own, unless its sender wants them collected. */
const unjoinedChannels = ["mail"];

/** A turn for these items, a while in which more may come, or nothing. */
export type NextTurn = { items: InboxItem[] } | { waitMs: number } | null;

/** @param waiting all that waits, in the order in which it came */
export function nextTurn(waiting: readonly InboxItem[], { now, joinWindowMs, modeOf }: QueueRules): NextTurn {
  const first = waiting.findIndex(({ silent }) => !silent);
  const trigger = waiting[first];
  if (!trigger) return null;
  // What was said silently before it belongs to its context.
  const items = waiting.slice(0, first + 1);
  if (trigger.type === "system") return { items };
  const isCollected = modeOf(trigger) === "collect";
  if (!isCollected && unjoinedChannels.includes(trigger.channel?.type ?? "")) return { items };
  let last = trigger;
  for (const item of waiting.slice(first + 1)) {
    const isJoined = isCollected
      ? item.silent || (item.type === "user" && modeOf(item) === "collect")
      : item.silent || (isSameSender(item, trigger) && item.ts - last.ts <= joinWindowMs);
    if (!isJoined) break;
    items.push(item);
    if (!item.silent) last = item;
  }
  // Silent ones behind the last message wait for the next turn.
  items.length = items.lastIndexOf(last) + 1;
  const waitMs = Math.min(last.ts + joinWindowMs - now, joinWindowMs);
  return waitMs > 0 ? { waitMs } : { items };
}

export function isSameSender(a: InboxItem, b: InboxItem): boolean {
  if (a.type !== "user" || b.type !== "user") return false;
  const sender = ({ channel }: InboxItem) =>
    JSON.stringify([channel?.type, channel?.channelId, channel?.userId, channel?.replyTo]);
  return sender(a) === sender(b);
}
