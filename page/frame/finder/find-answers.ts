/** The answers of the sources, in their order: which find is chosen, and which one Enter may open. Pure. */
import type { Found } from "./found.ts";

export type Answer = {
  group: string;
  found: readonly Found[];
  /** The text that was asked for when it answered; null: nothing yet. */
  text: string | null;
  /** It couldn't be asked, or takes long. */
  isAway: boolean;
};

type Named = { name: string; found: Found };

/** A find, by its group and key: so that one that was walked to stays chosen whatever is found before it. */
export const nameOf = (group: string, { key }: Found): string => `${group} ${key}`;

const namedOf = ({ group, found }: Answer): Named[] => found.map((one) => ({ name: nameOf(group, one), found: one }));

/** The name of the find that was walked to, or of the first one of all. */
export function chosenOf(answers: readonly Answer[], walkedTo: string | null): string | undefined {
  const names = answers.flatMap(namedOf).map(({ name }) => name);
  return walkedTo !== null && names.includes(walkedTo) ? walkedTo : names[0];
}

/**
 * Finds what Enter opens: what was walked to, else the first find, which is shown as chosen. Undefined: nothing is
 * found. Null: that isn't known yet; what was found for another text isn't opened, since nobody asked for it.
 */
export function opened(answers: readonly Answer[], text: string, walkedTo: string | null): Named | null | undefined {
  const walked = answers.flatMap(namedOf).find(({ name }) => name === walkedTo);
  if (walked) return walked;
  const first = answers.find(({ found }) => found.length > 0);
  if (first?.text === text) return namedOf(first)[0];
  return answers.every((answer) => answer.text === text) ? undefined : null;
}

/** The name of the one before or behind, around the ends. */
export function nextName(answers: readonly Answer[], name: string | undefined, by: number): string | null {
  const names = answers.flatMap(namedOf).map((one) => one.name);
  if (names.length === 0) return null;
  return names[(Math.max(0, names.indexOf(name ?? "")) + by + names.length) % names.length] ?? null;
}
