/** The find of a source, and how words are looked for in names. Pure. */

export type Found = {
  /** One of its kind has it once. */
  key: string;
  text: string;
  /** The note that goes with it, in grey. */
  note?: string | undefined;
  /** Where it leads, or what it does: the address that it then leads to, if any. */
  to: string | (() => unknown);
};

export type FindSource = {
  group: string;
  /** It answers at once, and needs no server. */
  isHere?: boolean;
  /** @throws ApiError, UnreachableError when it can't be asked now */
  find: (text: string, signal: AbortSignal) => Found[] | Promise<Found[]>;
};

/** Finds of each group. */
export const most = 6;

/** Every word stands somewhere in it, in any case. */
export function fits(candidate: string, text: string): boolean {
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
  const within = candidate.toLowerCase();
  return wanted.every((word) => within.includes(word));
}

/** The first few whose names have every word; nothing where nothing was typed. */
export function firstThatFit<Item>(items: readonly Item[], text: string, nameOf: (item: Item) => string): Item[] {
  if (text === "") return [];
  return items.filter((item) => fits(nameOf(item), text)).slice(0, most);
}
