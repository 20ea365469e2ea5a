/** A day and a facet as a page of Markdown whose links lead to their files. */
import { filesOfDay } from "../../journal/notes/days.ts";
import { entitiesOf } from "../../journal/entries/entities.ts";
import { eventsOf, facetFiles, listFacets, readFacet } from "../../journal/notes/facets.ts";
import { uriOf } from "./resource-uris.ts";

/** Items of one list. */
const maxItems = 500;

/** Null for a day of which there is nothing. */
export function dayPage(journal: string, day: string): string | null {
  const events = listFacets(journal).flatMap(({ name }) =>
    eventsOf(journal, name, day).map(({ record }) => ({ facet: name, ...record })),
  );
  const files = filesOfDay(journal, day);
  if (events.length === 0 && files.length === 0) return null;
  const happened = events.map(({ facet, title, start, end, summary, occurred }) => {
    const time = [start, end].filter(Boolean).join("–");
    return `${facet}: ${time ? `${time} ` : ""}${title}${occurred ? "" : " (planned)"}${summary ? `: ${summary}` : ""}`;
  });
  return page(day, "", { Events: happened, Files: files.map(({ path, bytes }) => `${link(path)} (${bytes} bytes)`) });
}

/** @throws UnknownFacetError */
export function facetPage(journal: string, facet: string): string {
  const { title, description = "", muted } = readFacet(journal, facet);
  const known = entitiesOf(journal, facet).map(({ record: { type, name, aka = [], description: what } }) => {
    const others = aka.length > 0 ? `, also ${aka.join(", ")}` : "";
    return `${name} (${type}${others})${what ? `: ${what}` : ""}`;
  });
  const files = (["events", "todos", "news"] as const).flatMap((kind) => facetFiles(journal, facet, kind).toReversed());
  return page(`${title}${muted ? " (muted)" : ""}`, description, {
    "People and things": known,
    Files: files.map(link),
  });
}

function page(title: string, text: string, lists: Record<string, string[]>): string {
  const parts = Object.entries(lists).map(([heading, items]) => (items.length > 0 ? list(heading, items) : ""));
  return `${[`# ${title}`, text, ...parts].filter((part) => part !== "").join("\n\n")}\n`;
}

function list(heading: string, items: string[]): string {
  const left = items.length - maxItems;
  const more = left > 0 ? [`- [${left} more left out]`] : [];
  return `## ${heading}\n\n${[...items.slice(0, maxItems).map((item) => `- ${item}`), ...more].join("\n")}`;
}

const link = (path: string) => `[${path}](${uriOf(path)})`;
