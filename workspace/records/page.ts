/** Pages of a list. */
import { z } from "zod";

const mostItems = 200;
const usualItems = 50;

export const Page = z.object({
  limit: z.coerce.number().int().min(1).max(mostItems).default(usualItems),
  cursor: z.string().max(200).nullable().default(null).meta({ description: "`next` of the page before." }),
});
export type Page = z.infer<typeof Page>;

export type PageOf<T> = { items: T[]; next: string | null };

/** A page of a list that is read as a whole, in the order of the items' keys: each database has an order of texts of its own. */
export function pageOfAll<T>(all: readonly T[], { limit, cursor }: Page, keyOf: (item: T) => string): PageOf<T> {
  const inOrder = all.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  const left = cursor === null ? inOrder : inOrder.filter((item) => keyOf(item) > cursor);
  const items = left.slice(0, limit);
  const last = items.at(-1);
  return { items, next: left.length > limit && last ? keyOf(last) : null };
}
