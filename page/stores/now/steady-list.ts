/** A list that stays as it is while somebody points at it: rows change in place, and new ones wait. Pure. */

export type Kept<Item> = {
  item: Item;
  /** It is no longer in the list, and stays until nobody points at it. */
  isGone: boolean;
};

export type Steady<Item> = { rows: Kept<Item>[]; waiting: number };

type Rules<Item> = {
  keyOf: (item: Item) => string;
  /** Where new ones are put. The order of those that are there never changes. */
  newOnes: "first" | "last";
  /** Somebody points at a row, or has the focus in one. */
  isHeld: boolean;
};

/** The rows to show after `shown`, when the list has become `items`. */
export function steadyList<Item>(
  shown: readonly Kept<Item>[],
  items: readonly Item[],
  rules: Rules<Item>,
): Steady<Item> {
  const { keyOf, newOnes, isHeld } = rules;
  const fresh = new Map(items.map((item) => [keyOf(item), item]));
  const rows: Kept<Item>[] = [];
  for (const { item } of shown) {
    const now = fresh.get(keyOf(item));
    fresh.delete(keyOf(item));
    if (now !== undefined) rows.push({ item: now, isGone: false });
    else if (isHeld) rows.push({ item, isGone: true });
  }
  if (isHeld) return { rows, waiting: fresh.size };
  const added = [...fresh.values()].map((item) => ({ item, isGone: false }));
  return { rows: newOnes === "first" ? [...added, ...rows] : [...rows, ...added], waiting: 0 };
}
