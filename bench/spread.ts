/** Figures as they are printed: the median, with the least and the most. */

/** A figure of each contestant, taken in the same round. */
export type Round = Record<string, number>;

/** The median, with the least and the most. */
export function spread(values: number[]): string {
  const sorted = values.toSorted((a, b) => a - b);
  const [least, median, most] = [sorted[0], sorted[Math.floor(sorted.length / 2)], sorted.at(-1)].map((value = 0) =>
    value.toFixed(1),
  );
  return sorted.length === 1 ? `${median}` : `${median} (${least}–${most})`;
}

/** A line for each contestant: its figure, and its ratio to the first one, round by round. */
export function table(what: string, rounds: Round[]): string {
  const names = Object.keys(rounds[0] ?? {});
  const first = names[0] ?? "";
  const lines = names.map((name) => {
    const figures = rounds.map((round) => round[name] ?? Number.NaN);
    const ratios = rounds.map((round) => (round[name] ?? Number.NaN) / (round[first] ?? Number.NaN));
    return `  ${what.padEnd(9)} ${name.padEnd(8)} ${spread(figures).padEnd(24)} ratio ${spread(ratios)}`;
  });
  return `${lines.join("\n")}\n`;
}
