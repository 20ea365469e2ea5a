/** Operations on the journal's days, facets and saved results. */
import { Day } from "../../../journal/access/day.ts";
import { refusing } from "../../../journal/access/refusals.ts";
import {
  EntryQuery,
  FacetContents,
  FacetName,
  Facets,
  Hits,
  JournalDay,
  JournalDays,
  JournalEntry,
  Reports,
  SearchQuery,
} from "../../../journal/notes/note-records.ts";
import {
  facetContents,
  journalDay,
  journalDays,
  journalEntry,
  journalFacets,
  journalReports,
} from "../../../journal/notes/notes.ts";
import { withWriters } from "../../../journal/notes/written-by.ts";
import { searchJournal } from "../../../journal/tools/search.ts";
import { operation, pageQuery } from "../../table/operation.ts";

const forOwner = { subject: null, role: "owner" } as const;

export const journal = [
  operation({
    ...forOwner,
    id: "journal.days",
    method: "GET",
    path: "/journal/days",
    summary: "The days that have files, newest first",
    query: pageQuery,
    answer: JournalDays,
    handle: ({ machine }, { query }) => refusing(() => journalDays(machine, query)),
  }),
  operation({
    ...forOwner,
    id: "journal.day",
    method: "GET",
    path: "/journal/days/{id}",
    pathId: Day,
    summary: "The files and events of a day",
    answer: JournalDay,
    handle: ({ machine }, { id }) => refusing(() => journalDay(machine, id)),
  }),
  operation({
    ...forOwner,
    id: "journal.facets",
    method: "GET",
    path: "/journal/facets",
    summary: "The facets, muted ones too",
    answer: Facets,
    handle: ({ machine }) => refusing(() => journalFacets(machine)),
  }),
  operation({
    ...forOwner,
    id: "journal.facet",
    method: "GET",
    path: "/journal/facets/{id}",
    pathId: FacetName,
    summary: "A facet, and its files",
    answer: FacetContents,
    handle: ({ machine }, { id }) => refusing(() => facetContents(machine, id)),
  }),
  operation({
    ...forOwner,
    id: "journal.reports",
    method: "GET",
    path: "/journal/reports",
    summary: "The files that runs have saved, newest days first, each with the run that wrote it",
    query: pageQuery,
    answer: Reports,
    handle: ({ machine }, { query }) => refusing(() => journalReports(machine, query)),
  }),
  operation({
    ...forOwner,
    id: "journal.search",
    method: "GET",
    path: "/journal/search",
    summary: "Search in days and facets; the best passages first",
    query: SearchQuery,
    answer: Hits,
    handle: ({ machine }, { query }) =>
      refusing(async () => {
        const { items, next } = await searchJournal(machine, query);
        return { items: withWriters(machine.journal, items), next };
      }),
  }),
  operation({
    ...forOwner,
    id: "journal.entry",
    method: "GET",
    path: "/journal/entry",
    summary: "A file of a day or a facet, with the run that wrote it",
    query: EntryQuery,
    answer: JournalEntry,
    refusals: [404],
    handle: ({ machine }, { query }) => refusing(() => journalEntry(machine, query.path)),
  }),
];
