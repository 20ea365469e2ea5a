/** From which on a run goes in a circle: the same call again and again, or the same few calls in the same order. Pure. */

/** So many equal calls in a row, where the settings' `loop_limit` doesn't say. */
export const usualLoopLimit = 5;

/** The longest circle that is looked for, in calls, and how often in a row makes it one. */
const longestCircle = 4;
const rounds = 3;

/** How many of the latest calls are looked at. */
export const mostOfCircle = (limit: number) => Math.max(limit, longestCircle * rounds);

/**
 * @param calls the newest last
 * @param limit so many equal calls in a row are one
 * @returns what goes round, for a person to read; null: nothing does
 */
export function circleIn<Each>(
  calls: readonly Each[],
  limit: number,
  isEqual: (a: Each, b: Each) => boolean = Object.is,
): string | null {
  const isRepeated = (some: readonly Each[], length: number) =>
    some.every((call, index) => index < length || isEqual(call, some[index - length] ?? call));
  if (calls.length >= limit && isRepeated(calls.slice(-limit), 1)) return `the same call ${limit} times in a row`;
  for (let length = 2; length <= longestCircle; length++) {
    const latest = calls.slice(-length * rounds);
    // Equal calls alone are counted above.
    if (latest.length === length * rounds && isRepeated(latest, length) && !isRepeated(latest, 1))
      return `the same ${length} calls ${rounds} times in a row`;
  }
  return null;
}
