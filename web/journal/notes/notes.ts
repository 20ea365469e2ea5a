/** The journal's days, facets and saved results, and what stands in one of their files. */
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { filesOfDay, listDays } from "../../../journal/notes/days.ts";
import { eventsOf, type Facet, facetFiles, listFacets, readFacet } from "../../../journal/notes/facets.ts";
import { locateResource } from "../../../journal/notes/resources.ts";
import { placeOf } from "../../../journal/notes/search-scope.ts";
import { savedPaths } from "../../../journal/saves/saved-records.ts";
import type { Page } from "../../../workspace/records/page.ts";
import { timeOf } from "../../../workspace/records/fields.ts";
import type { Machine } from "../../machine/machine.ts";
import { readStart, runAt } from "./written-by.ts";

type Journal = Pick<Machine, "journal">;

const mostEvents = 1000;
const mostFiles = 1000;

/** The newest first. */
export function journalDays({ journal }: Journal, { limit, cursor }: Page) {
  const left = listDays(journal)
    .toReversed()
    .filter((day) => cursor === null || day < cursor);
  const days = left.slice(0, limit);
  const items = days.map((day) => ({ day, files: filesOfDay(journal, day).length }));
  return { items, next: left.length > limit ? (days.at(-1) ?? null) : null };
}

export function journalDay({ journal }: Journal, day: string) {
  const events = listFacets(journal).flatMap(({ name: facet }) =>
    eventsOf(journal, facet, day).map(({ path, line, record }) => ({ ...record, facet, path, line })),
  );
  return { day, files: filesOfDay(journal, day).slice(0, mostFiles), events: events.slice(0, mostEvents) };
}

export const journalFacets = ({ journal }: Journal) => ({ items: listFacets(journal).map(shownFacet), next: null });

export function facetContents({ journal }: Journal, name: string) {
  const facet = shownFacet(readFacet(journal, name));
  const [events = [], todos = [], news = []] = (["events", "todos", "news"] as const).map((kind) =>
    facetFiles(journal, name, kind).toReversed().slice(0, mostFiles),
  );
  return { facet, events, todos, news };
}

function shownFacet({ name, title, description, color, emoji, muted }: Facet) {
  return { name, title, description: description ?? null, color: color ?? null, emoji: emoji ?? null, muted };
}

/** Lists the files that runs have saved and that still stand there, the newest days first. */
export function journalReports({ journal }: Journal, { limit, cursor }: Page) {
  const all = savedPaths(journal).toSorted((one, other) => (one > other ? -1 : 1));
  const left = all.filter((path) => cursor === null || path < cursor);
  const paths = left.slice(0, limit);
  const items = paths.flatMap((path) => {
    const day = path.slice(0, 8);
    const stats = lstatSync(join(journal, path), { throwIfNoEntry: false });
    if (!stats?.isFile() || !placeOf(path)) return [];
    const run = runAt(journal, day, path, stats.size);
    return [{ path, day, bytes: stats.size, saved_at: timeOf(Math.trunc(stats.mtimeMs)), run }];
  });
  return { items, next: left.length > limit ? (paths.at(-1) ?? null) : null };
}

/** @throws ResourceError for what isn't a file of a day or a facet */
export function journalEntry({ journal }: Journal, path: string) {
  const real = locateResource(journal, path);
  const { bytes, size, changedMs } = readStart(real, path);
  const isText = !bytes.includes(0);
  const { day = null, facet = null } = placeOf(path) ?? {};
  return {
    path,
    text: isText ? bytes.toString("utf8").toWellFormed() : null,
    bytes: size,
    cut: size > bytes.length,
    changed_at: timeOf(Math.trunc(changedMs)),
    day,
    facet,
    run: day === null ? null : runAt(journal, day, path, size),
  };
}
