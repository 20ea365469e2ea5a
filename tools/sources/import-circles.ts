/** Files that import each other in a circle, types included. Pure. */

/** One circle for each group of files that reach each other, as the way around it. @param imports of each file, those of the project */
export function importCircles(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const done = new Set<string>();
  const circles: string[][] = [];
  for (const file of imports.keys()) {
    if (done.has(file)) continue;
    const way = wayAround(file, imports, done);
    if (way) circles.push(way);
  }
  return circles;
}

/** The first circle that is met from a file on, depth first; none of it is met again. */
function wayAround(first: string, imports: ReadonlyMap<string, readonly string[]>, done: Set<string>): string[] | null {
  const way: string[] = [];
  const visit = (file: string): string[] | null => {
    const at = way.indexOf(file);
    if (at >= 0) return [...way.slice(at), file];
    if (done.has(file)) return null;
    way.push(file);
    for (const next of imports.get(file) ?? []) {
      const circle = visit(next);
      if (circle) return circle;
    }
    way.pop();
    done.add(file);
    return null;
  };
  const circle = visit(first);
  for (const file of way) done.add(file);
  return circle;
}
