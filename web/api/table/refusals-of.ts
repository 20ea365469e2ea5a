/** The statuses with which an operation may refuse, from what it is. Pure. */
import type { Operation } from "./operation.ts";

/** The refusals of every operation: a bad address, nobody, a foreign page or a role, too often, not now. */
const always = [400, 401, 403, 429, 503];

export function refusalsOf({ path, method, refusals = [] }: Operation): number[] {
  const statuses = [
    ...always,
    ...(path.includes("{") ? [404] : []),
    ...(method === "POST" ? [409] : []),
    // Whoever sends a body, also where none is asked for.
    ...(method === "GET" ? [] : [413, 415]),
    ...refusals,
  ];
  return [...new Set(statuses)].toSorted((one, other) => one - other);
}
