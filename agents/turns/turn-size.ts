/** Selection of the items that a turn has room for: a request is bounded by the bus, a conversation by its model. Pure. */
import type { InboxItem } from "../../protocol/agents/agent-files.ts";

/** The size that a turn may have, by a measure of its items. */
export type TurnRoom = { most: number; sizeOf: (item: InboxItem) => number };

export type FittingItems = {
  /** The items that the turn settles. */
  items: InboxItem[];
  /** The messages of them that its prompt tells; the others are silent ones, and too many. */
  told: InboxItem[];
};

/**
 * Cuts the items of a turn to its room. The first item that isn't silent is taken in any case: a turn has something to
 * answer, and one that is too large alone is refused with a reason.
 */
export function itemsThatFit(items: readonly InboxItem[], { most, sizeOf }: TurnRoom): FittingItems {
  const first = items.findIndex(({ silent }) => !silent);
  const trigger = items[first];
  if (!trigger) return { items: [], told: [] };
  let left = most - sizeOf(trigger);
  const fits = (item: InboxItem) => (left -= sizeOf(item)) >= 0;
  const before = items.slice(0, first);
  // The newest of those before it say most about it.
  const firstTold = before.findLastIndex((item) => !fits(item)) + 1;
  const rest = items.slice(first + 1);
  const end = firstTold > 0 ? 0 : rest.findIndex((item) => !fits(item));
  const behind = end < 0 ? rest : rest.slice(0, end);
  // Silent ones behind the last message wait for the next turn.
  behind.length = behind.findLastIndex(({ silent }) => !silent) + 1;
  const told = [...before.slice(firstTold), trigger, ...behind];
  return { items: [...before.slice(0, firstTold), ...told], told };
}
