/** The part of the journal that an address means: a day, a facet, a file, or a search. Pure. */
import { utcNoonOf } from "../../words/time/day-words.ts";

export const sections = [
  ["days", "Days"],
  ["facets", "Facets"],
  ["reports", "Reports"],
] as const;
export type Section = (typeof sections)[number][0];

export type JournalPlace =
  | { kind: "index" }
  | { kind: "day"; day: string }
  | { kind: "facet"; name: string }
  | { kind: "file"; path: string };

export function placeOf(rest: string): JournalPlace {
  if (/^\d{8}$/.test(rest)) return { kind: "day", day: rest };
  const [first = "", ...others] = rest.split("/");
  const inner = others.join("/");
  if (first === "facets" && inner !== "") return { kind: "facet", name: inner };
  if (first === "files" && inner !== "") return { kind: "file", path: inner };
  return { kind: "index" };
}

/** The list that something stands in, where the address doesn't say so. */
export function sectionOf(place: JournalPlace, of: string | undefined): Section {
  const named = sections.find(([id]) => id === of)?.[0];
  if (named) return named;
  if (place.kind === "facet") return "facets";
  return place.kind === "file" && place.path.startsWith("facets/") ? "facets" : "days";
}

const encoded = (path: string) => path.split("/").map(encodeURIComponent).join("/");

const queryOf = (query: Record<string, string>) => {
  const text = new URLSearchParams(query).toString();
  return text === "" ? "" : `?${text}`;
};

export const dayAddress = (day: string): string => `/journal/${day}`;
export const facetAddress = (name: string): string => `/journal/facets/${encodeURIComponent(name)}`;
export const fileAddress = (path: string, query: Record<string, string> = {}): string =>
  `/journal/files/${encoded(path)}${queryOf(query)}`;
export const indexAddress = (query: Record<string, string>): string => `/journal${queryOf(query)}`;

/** `Saturday, 18 January 2025` */
export function dayTitle(day: string): string {
  const options = { weekday: "long", day: "numeric", month: "long", year: "numeric", timeZone: "UTC" } as const;
  const text = new Date(utcNoonOf(day)).toLocaleDateString("en-GB", options);
  return text.includes(",") ? text : text.replace(" ", ", ");
}

/** The pieces of a passage: those that were searched for are marked. */
export function markedPieces(
  text: string,
  matches: readonly (readonly unknown[])[],
): { text: string; isFound: boolean }[] {
  const pieces: { text: string; isFound: boolean }[] = [];
  let at = 0;
  for (const [from, to] of matches) {
    if (typeof from !== "number" || typeof to !== "number" || from < at || to < from || to > text.length) continue;
    if (from > at) pieces.push({ text: text.slice(at, from), isFound: false });
    pieces.push({ text: text.slice(from, to), isFound: true });
    at = to;
  }
  if (at < text.length) pieces.push({ text: text.slice(at), isFound: false });
  return pieces;
}
