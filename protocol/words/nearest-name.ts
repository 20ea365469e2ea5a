/** The name that was probably meant: for errors and warnings about one that nobody knows. */

const longestName = 64;

/** The known name that is nearest to a mistyped one, or null when none is near. */
export function nearestName(name: string, known: Iterable<string>): string | null {
  if (name.length > longestName) return null;
  let best: { name: string; distance: number } | null = null;
  for (const candidate of known) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < (best?.distance ?? Number.POSITIVE_INFINITY)) best = { name: candidate, distance };
  }
  // Two slips in a long name, one in a short one: more, and it is another word.
  const allowed = name.length >= 6 ? 2 : 1;
  return best && best.distance <= allowed ? best.name : null;
}

/** How many letters must be inserted, left out, replaced or swapped with their neighbour (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current[column] = Math.min(
        (above[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (above[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    before = above;
    above = current;
  }
  return above[b.length] ?? 0;
}
