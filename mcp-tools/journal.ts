/** The pack `journal`: searching and reading the days and facets. Results are lines that name their source. */
import { z } from "zod";
import { listDays } from "../journal/days.ts";
import {
  type Entity,
  entitiesOf,
  eventsOf,
  facetFiles,
  type FacetEvent,
  listFacets,
  type Placed,
  readFacet,
  UnknownFacetError,
} from "../journal/facets.ts";
import { readResource, ResourceError } from "../journal/resources.ts";
import { isDay, namePattern } from "../protocol/names.ts";
import { defineTool, type Tool, ToolError } from "./tool.ts";

const day = (description: string) =>
  z
    .string()
    .refine(isDay, "expected a day, YYYYMMDD")
    .meta({ description, pattern: "^\\d{8}$", examples: ["20250109"] });
const facetName = z
  .string()
  .regex(namePattern, "expected a facet's name: lower-case letters, digits, - and _")
  .meta({ description: "A facet's name, as in facets/<name>." });
const lineNumber = (description: string) =>
  z.number().int().min(1, "expected a line number, from 1").meta({ description });

const searchJournal = defineTool({
  name: "search_journal",
  description:
    "Search the user's journal: the notes and transcripts of days, and each facet's events, todos, news and entities. " +
    "Finds passages with any of the words, those with all of them first. Returns path:line: text. Read on with get_resource.",
  input: {
    query: z
      .string()
      .refine((text) => text.trim() !== "", "expected text, not blank")
      .meta({ description: "Words to look for, or a question." }),
    limit: z
      .number()
      .int()
      .min(1, "expected at least 1")
      .max(50, "expected at most 50")
      .optional()
      .meta({ description: "How many passages at most. Default 10." }),
    day_from: day("First day, YYYYMMDD. With it, only what belongs to a day is found.").optional(),
    day_to: day("Last day, YYYYMMDD.").optional(),
    facet: facetName.optional(),
  },
  readOnly: true,
  async run(args, { journal, search }) {
    if (args.facet !== undefined) known(() => readFacet(journal, args.facet ?? ""));
    if (args.day_from && args.day_to && args.day_from > args.day_to)
      throw new ToolError(`day_from ${args.day_from} is after day_to ${args.day_to}`);
    const hits = await search.search(args);
    const text = hits.map(({ path, line, snippet }) => `${path}:${line}: ${snippet}`).join("\n");
    return { text: text || nothingFound(journal, args.query), structured: { hits } };
  },
});

const getEvents = defineTool({
  name: "get_events",
  description:
    "The events of a day, of one facet or of all: what happened, and what was planned. Returns path:line: text.",
  input: { day: day("The day, YYYYMMDD."), facet: facetName.optional() },
  readOnly: true,
  run(args, { journal }) {
    const facets = args.facet === undefined ? listFacets(journal) : [known(() => readFacet(journal, args.facet ?? ""))];
    const events = facets.flatMap(({ name }) =>
      eventsOf(journal, name, args.day).map((event) => ({ facet: name, ...event })),
    );
    const text = bounded(events.map(({ path, line, record }) => `${path}:${line}: ${eventText(record)}`));
    const where = args.facet === undefined ? "" : ` in facet "${args.facet}"`;
    return {
      text: text || `no events on ${args.day}${where}`,
      structured: { events: events.slice(0, maxLines).map(({ record, ...place }) => ({ ...place, ...record })) },
    };
  },
});

const getFacet = defineTool({
  name: "get_facet",
  description: "What a facet of the user's life or work is about, its people and things, and the files it has.",
  input: { facet: facetName },
  readOnly: true,
  run(args, { journal }) {
    const { name, ...facet } = known(() => readFacet(journal, args.facet));
    const entities = entitiesOf(journal, name);
    const files = (["events", "todos", "news"] as const).map((kind) => ({
      kind,
      paths: facetFiles(journal, name, kind),
    }));
    const lines = [
      `${facet.title} (facets/${name})${facet.muted ? ", muted" : ""}${facet.description ? `: ${facet.description}` : ""}`,
      ...files.map(({ kind, paths }) => `${kind}: ${range(paths)}`),
      ...entities.map(({ path, line, record }) => `${path}:${line}: ${entityText(record)}`),
    ];
    return {
      text: bounded(lines),
      structured: { facet: { name, ...facet }, entities: entities.slice(0, maxLines).map(({ record }) => record) },
    };
  },
});

const getResource = defineTool({
  name: "get_resource",
  description:
    "Read a file of the journal, or lines of it, by its path as search_journal gives it. Days and facets only. " +
    "A long file is cut; the last line then says how to go on.",
  input: {
    path: z
      .string()
      .min(1, "expected a path")
      .max(1_000)
      .meta({
        description: "Relative to the journal.",
        examples: ["20250109/notes.md"],
      }),
    from: lineNumber("First line, from 1.").optional(),
    to: lineNumber("Last line.").optional(),
  },
  readOnly: true,
  run({ path, ...lines }, { journal }) {
    const {
      from,
      to,
      isCut,
      lines: read,
    } = known(() => readResource(journal, path, { from: lines.from ?? 1, ...lines }));
    const note = isCut ? [`[cut after line ${to}: go on with from: ${to + 1}]`] : [];
    return {
      text: read.length > 0 ? [...read, ...note].join("\n") : "(empty)",
      structured: { path, from, to, is_cut: isCut },
    };
  },
});

export const journalPack: readonly Tool[] = [searchJournal, getEvents, getFacet, getResource];

/** What the journal doesn't know is an answer for the model, and no defect. */
function known<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnknownFacetError || error instanceof ResourceError)
      throw new ToolError(error.message, { cause: error });
    throw error;
  }
}

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

function entityText({ type, name, aka, description }: Placed<Entity>["record"]): string {
  const others = aka && aka.length > 0 ? `, also ${aka.join(", ")}` : "";
  return `${name} (${type}${others})${description ? `: ${description}` : ""}`;
}

function range(paths: string[]): string {
  if (paths.length === 0) return "none";
  return paths.length <= 2 ? paths.join(", ") : `${paths.length} files, ${paths[0]} to ${paths.at(-1)}`;
}

/** Of lists, a model gets so many lines and characters at most. */
const maxLines = 200;
const maxCharacters = 32_000;

function bounded(lines: string[]): string {
  const text = lines.slice(0, maxLines).join("\n");
  const left = lines.length - maxLines;
  const note = left > 0 ? `\n[${left} more left out]` : "";
  return text.length > maxCharacters
    ? `${text.slice(0, maxCharacters)} …\n[cut: read the files with get_resource]`
    : text + note;
}
