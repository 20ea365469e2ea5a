/** The relation of paths that no link is in: which of them lies below which. Pure. */
import { relative, sep } from "node:path";

/** Whether a path is at or below another. */
export function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`);
}
