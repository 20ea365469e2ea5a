/** Monotonic ids of runs, as times in ms: each later than all before, whatever the clock does. */

/** Makes the generator. Its call with a known id makes all later ones greater. */
export function monotonicIds(now: () => number = Date.now): (known?: number) => number {
  let last = 0;
  return (known) => {
    if (known !== undefined) return (last = Math.max(last, known));
    last = Math.max(last + 1, now());
    return last;
  };
}
