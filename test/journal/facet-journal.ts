/** A journal with the facet `garden`, for one test; and a look at its files. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryJournal } from "./temporary-journal.ts";

export type FacetJournal = ReturnType<typeof facetJournal>;

export function facetJournal() {
  const folder = temporaryJournal();
  const at = (path: string) => join(folder.path, "facets", "garden", path);
  const write = (path: string, content: string | Uint8Array) => {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), content);
  };
  write("facet.json", '{"title":"Garden"}');
  return {
    path: folder.path,
    at,
    write,
    read: (path: string) => readFileSync(at(path), "utf8"),
    /** Lists a folder of the facet: a temporary file that was left behind, too. */
    names: (path: string) => (existsSync(at(path)) ? readdirSync(at(path)).toSorted() : []),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}
