/** The arrows of a machine's states: those of a diagram on a page, and those that its table has. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./pages.ts";

/** The arrows of a page's diagram, `from>to`, without the first and the last state. */
export function arrowsOf(title: string, page = "docs/architecture.md"): string[] {
  const [, section = ""] = readFileSync(join(root, page), "utf8").split(`## ${title}\n`);
  const [, diagram = ""] = /```mermaid\n(.*?)```/s.exec(section) ?? [];
  const arrows = [...diagram.matchAll(/^ +(\w+) --> (\w+)/gm)].map(([, from, to]) => `${from}>${to}`);
  return [...new Set(arrows)].toSorted();
}

/**
 * The arrows of a table: every step between the states of data that can be reached from `first`.
 * @param steps each datum's next ones, with whether the step is an arrow although the state stays
 * @param key two data with one key have the same steps
 */
export function arrowsFrom<T extends { state: string }>(
  first: T[],
  steps: (datum: T, depth: number) => { next: T; isArrow: boolean }[],
  key: (datum: T) => unknown,
): string[] {
  const seen = new Set<string>();
  const arrows = new Set<string>();
  let edge = first;
  for (let depth = 1; edge.length > 0; depth++) {
    const reached: T[] = [];
    for (const datum of edge)
      for (const { next, isArrow } of steps(datum, depth)) {
        if (isArrow || next.state !== datum.state) arrows.add(`${datum.state}>${next.state}`);
        const known = JSON.stringify(key(next));
        if (seen.has(known)) continue;
        seen.add(known);
        reached.push(next);
      }
    edge = reached;
  }
  return [...arrows].toSorted();
}
