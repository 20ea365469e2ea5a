/** Values that were changed while what they were before was being saved: on top of what was saved. Pure. */
import { at, type Values } from "../forms/schema-fields.ts";

/**
 * The values of now, but for those that are as they were sent: these are as they were saved.
 * @param sent what was sent to be saved
 * @param saved what was made of it
 */
export function rebasedValues(mine: Values, sent: Values, saved: Values): Values {
  const isAsSent = (name: string) => JSON.stringify(at(mine, name)) === JSON.stringify(at(sent, name));
  const kept = Object.keys(mine).filter((name) => !isAsSent(name) || Object.hasOwn(saved, name));
  const added = Object.keys(saved).filter((name) => !Object.hasOwn(mine, name) && isAsSent(name));
  return Object.fromEntries([
    ...kept.map((name) => [name, isAsSent(name) ? saved[name] : mine[name]]),
    ...added.map((name) => [name, saved[name]]),
  ]);
}
