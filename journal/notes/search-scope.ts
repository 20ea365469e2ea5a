/** Which files of a journal search and the tools may see: those of days and facets, and nothing that is hidden. Pure. */
import { isDay, namePattern } from "../../protocol/names/names.ts";

/** Where a file belongs, and whether search indexes it. */
export type NotePlace = { day: string | null; facet: string | null; isIndexed: boolean };

/** The place of a file, given relative to the journal with `/`; undefined where search and the tools see nothing. */
export function placeOf(path: string): NotePlace | undefined {
  const segments = path.split("/");
  if (!segments.every(isVisible)) return undefined;
  const [top = "", second = "", ...rest] = segments;
  if (isDay(top)) return { day: top, facet: null, isIndexed: second !== "" && /\.(md|txt|jsonl)$/i.test(path) };
  if (top !== "facets" || !namePattern.test(second)) return undefined;
  const below = rest.join("/");
  const stem = (rest.at(-1) ?? "").split(".")[0] ?? "";
  return { day: isDay(stem) ? stem : null, facet: second, isIndexed: facetFile.test(below) };
}

/** Whether a folder can hold files that search indexes. `""` is the journal itself. */
export function isSearchedFolder(path: string): boolean {
  if (path === "" || path === "facets") return true;
  const segments = path.split("/");
  if (!segments.every(isVisible)) return false;
  const [top = "", facet = "", kind, ...deeper] = segments;
  if (isDay(top)) return segments.length <= maxDepth;
  if (top !== "facets" || !namePattern.test(facet)) return false;
  return kind === undefined || (/^(entities|events|news|todos)$/.test(kind) && deeper.length === 0);
}

const facetFile = /^((?:entities|events)\/[^/]+\.jsonl|news\/[^/]+\.md|todos\/[^/]+\.md|entities\.jsonl|facet\.json)$/;

/** Folders in folders of a day. Deeper ones are left out rather than followed without end. */
const maxDepth = 16;

function isVisible(segment: string): boolean {
  return segment !== "" && !segment.startsWith(".") && !/[\p{Cc}\\]/u.test(segment);
}
