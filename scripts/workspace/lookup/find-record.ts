/** Records by what a person types: an id, or as much of it as says which. */
import { usageError } from "../../command/command.ts";

/** The end of an id, as lists show it: ids that were made at one time begin alike. */
export const shortId = (id: string) => id.slice(-8);

/**
 * The record with that id, or the only one whose id begins or ends so.
 * @param list the command that shows their ids
 * @throws CommandError
 */
export function oneOf<T extends { id: string }>(what: string, given: string, records: readonly T[], list: string): T {
  const wanted = given.toLowerCase();
  const exact = records.find(({ id }) => id === wanted);
  if (exact) return exact;
  const found = wanted.length < 3 ? [] : records.filter(({ id }) => id.startsWith(wanted) || id.endsWith(wanted));
  const [only] = found;
  if (only && found.length === 1) return only;
  const problem =
    found.length > 1 ? `${found.length} ${what}s have an id like "${given}"` : `there is no ${what} "${given}"`;
  throw usageError(problem, `ids: ${list}`);
}

/** A whole id: what has it may be older than what a list shows. */
export const isWholeId = (given: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(given);
