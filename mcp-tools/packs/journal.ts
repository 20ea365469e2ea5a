/** The pack `journal`: searching and reading the days and facets. Results are lines that name their source. */
import { z } from "zod";
import { listDays } from "../../journal/notes/days.ts";
import { eventsOf, type FacetEvent, listFacets, readFacet } from "../../journal/notes/facets.ts";
import { readResource } from "../../journal/notes/resources.ts";
import {
  bounded,
  day,
  facetName,
  hitLimit,
  lineRange,
  linesAnswer,
  linesRead,
  maxLines,
  placeFields,
} from "../tool/arguments.ts";
import { readCallResult } from "../tool/call-result.ts";
import { getFacet } from "./facets.ts";
import { defineTool, reads, type Tool } from "../tool/tool.ts";
import { ToolError } from "../tool/tool-error.ts";

const searchJournal = defineTool({
  name: "search_journal",
  title: "Search the journal",
  description:
    "Search the user's journal: the notes and transcripts of days, and each facet's events, todos, news and entities. " +
    "Finds passages with any of the words, those with all of them first, in any language. Returns path:line: text. Read on with get_resource.",
  input: {
    query: z
      .string()
      .refine((text) => text.trim() !== "", "expected text, not blank")
      .meta({ description: "Words to look for, or a question. With days, * is all that they have, in its order." }),
    limit: hitLimit.optional(),
    day_from: day("First day, YYYYMMDD. With it, only what belongs to a day is found.").optional(),
    day_to: day("Last day, YYYYMMDD.").optional(),
    facet: facetName.optional(),
  },
  output: {
    hits: z.array(
      z.object({ ...placeFields, snippet: z.string(), day: z.string().nullable(), facet: z.string().nullable() }),
    ),
  },
  annotations: reads,
  async run(args, { journal, search }) {
    if (args.facet !== undefined) readFacet(journal, args.facet);
    if (args.day_from && args.day_to && args.day_from > args.day_to)
      throw new ToolError(`day_from ${args.day_from} is after day_to ${args.day_to}`);
    const hits = await search.search(args);
    const text = hits.map(({ path, line, snippet }) => `${path}:${line}: ${snippet}`).join("\n");
    return { text: text || nothingFound(journal, args.query), structured: { hits } };
  },
});

const getEvents = defineTool({
  name: "get_events",
  title: "Events of a day",
  description:
    "The events of a day, of one facet or of all: what happened, and what was planned. Returns path:line: text.",
  input: { day: day("The day, YYYYMMDD."), facet: facetName.optional() },
  output: {
    events: z.array(
      z.looseObject({
        ...placeFields,
        facet: z.string(),
        title: z.string(),
        start: z.string().optional(),
        end: z.string().optional(),
        summary: z.string().optional(),
        occurred: z.boolean(),
      }),
    ),
  },
  annotations: reads,
  run(args, { journal }) {
    const facets = args.facet === undefined ? listFacets(journal) : [readFacet(journal, args.facet)];
    const events = facets.flatMap(({ name }) =>
      eventsOf(journal, name, args.day).map((event) => ({ facet: name, ...event })),
    );
    const text = bounded(events.map(({ path, line, record }) => `${path}:${line}: ${eventText(record)}`));
    const where = args.facet === undefined ? "" : ` in facet "${args.facet}"`;
    return {
      text: text || `no events on ${args.day}${where}`,
      structured: { events: events.slice(0, maxLines).map(({ record, ...where }) => ({ ...record, ...where })) },
    };
  },
});

const getResource = defineTool({
  name: "get_resource",
  title: "Read a file",
  description:
    "Read a file of the journal, or lines of it, by its path as search_journal gives it. Days and facets only. " +
    "A long file is cut; the last line then says how to go on. A result that was shortened is read by result:<call_id>.",
  input: {
    path: z
      .string()
      .min(1, "expected a path")
      .max(1_000)
      .meta({
        description: "Relative to the journal.",
        examples: ["20250109/notes.md"],
      }),
    ...lineRange,
  },
  output: { path: placeFields.path, ...linesRead },
  annotations: reads,
  async run({ path, ...lines }, context) {
    const range = { from: 1, ...lines };
    const found = (await readCallResult(context, path, range)) ?? readResource(context.journal, path, range);
    const { text, structured } = linesAnswer(found);
    return { text, structured: { path, ...structured } };
  },
});

export const journalPack: readonly Tool[] = [searchJournal, getEvents, getFacet, getResource];

function nothingFound(journal: string, query: string): string {
  const days = listDays(journal);
  const span =
    days.length > 0 ? `; the journal's days run from ${days[0]} to ${days.at(-1)}` : "; the journal has no days";
  return `nothing found for ${JSON.stringify(query.slice(0, 200))}: try other words${span}`;
}

function eventText({ title, start, end, summary, occurred }: FacetEvent): string {
  const time = [start, end].filter(Boolean).join("–");
  return `${time ? `${time} ` : ""}${title}${occurred ? "" : " (planned)"}${summary ? `: ${summary}` : ""}`;
}
