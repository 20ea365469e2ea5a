/** The pack `facets`: the areas of the user's life and work, and the news of each. */
import { z } from "zod";
import { entitiesOf } from "../../journal/entries/entities.ts";
import { FacetFileError } from "../../journal/editing/facet-file.ts";
import { facetFiles, listFacets, readFacet } from "../../journal/notes/facets.ts";
import { newsDays, newsPath, writeNews } from "../../journal/entries/news.ts";
import { readResource } from "../../journal/notes/resources.ts";
import { bounded, day, facetName, maxLines, placeFields, today } from "../tool/arguments.ts";
import { entityLine, listedEntity, listedEntityOf } from "./entities.ts";
import { defineTool, reads, type Tool, type ToolContext, writes } from "../tool/tool.ts";

const facet = z.looseObject({
  name: z.string(),
  title: z.string(),
  description: z.string().optional(),
  color: z.string().optional(),
  emoji: z.string().optional(),
  muted: z.boolean(),
});

export const getFacet = defineTool({
  name: "get_facet",
  title: "About a facet",
  description: "Return what a facet of the user's life or work is about, its people and things, and its files.",
  input: { facet: facetName },
  output: { facet, entities: z.array(listedEntity) },
  annotations: reads,
  run(args, { journal }) {
    const { name, ...about } = readFacet(journal, args.facet);
    const { entities, problems } = known(journal, name);
    const files = (["events", "todos", "news"] as const).map((kind) => ({
      kind,
      paths: facetFiles(journal, name, kind),
    }));
    const lines = [
      `${about.title} (facets/${name})${about.muted ? ", muted" : ""}${about.description ? `: ${about.description}` : ""}`,
      ...files.map(({ kind, paths }) => `${kind}: ${range(paths)}`),
      ...problems,
      ...entities.map(entityLine),
    ];
    return {
      text: bounded(lines),
      structured: { facet: { ...about, name }, entities: entities.slice(0, maxLines).map(listedEntityOf) },
    };
  },
});

const listAll = defineTool({
  name: "list_facets",
  title: "List facets",
  description: "List the facets, which are the areas of the user's life and work, each with its name and subject.",
  input: {},
  output: { facets: z.array(facet) },
  annotations: reads,
  run(_args, { journal }) {
    const facets = listFacets(journal);
    const lines = facets.map(
      ({ name, title, muted, description }) =>
        `${name}: ${title}${muted ? " (muted)" : ""}${description ? `: ${description}` : ""}`,
    );
    return { text: bounded(lines) || "the journal has no facets", structured: { facets: facets.slice(0, maxLines) } };
  },
});

const facetNews = defineTool({
  name: "facet_news",
  title: "News of a facet",
  description:
    "Read the news of a facet: the newsletter of a day, or the latest. With text, write the newsletter of a day in place " +
    "of what it held.",
  input: {
    facet: facetName,
    day: day("YYYYMMDD. Default: to read, the latest day that has news; to write, today.").optional(),
    text: z
      .string()
      .max(100_000, "expected at most 100000 characters")
      .refine((text) => text.trim() !== "" && !text.includes("\0"), "expected text, not blank")
      .optional()
      .meta({ description: "The whole newsletter, in Markdown. Absent: read." }),
  },
  output: {
    facet: z.string(),
    day: z.string(),
    path: placeFields.path,
    text: z.string().meta({ description: "The text that was read; empty when it was written." }),
    is_cut: z.boolean().meta({ description: "Whether there is more in the file than was read." }),
    changed: z.boolean(),
  },
  annotations: writes({ destructive: true, idempotent: true }),
  async run({ facet: name, day: on, text }, context, once) {
    if (text === undefined) return readNews(context, name, on);
    const written = on ?? today(context);
    const { path, changed, replaced } = await writeNews(context.journal, name, written, text.toWellFormed(), once);
    const what = replaced ? "replaced" : changed ? "written" : "was so already";
    return {
      text: `${path}: ${what}`,
      structured: { facet: name, day: written, path, text: "", is_cut: false, changed },
    };
  },
});

export const facetsPack: readonly Tool[] = [getFacet, listAll, facetNews];

/** A file that can't be read doesn't hide the rest of the facet. */
function known(journal: string, name: string): { entities: ReturnType<typeof entitiesOf>; problems: string[] } {
  try {
    return { entities: entitiesOf(journal, name), problems: [] };
  } catch (error) {
    if (error instanceof FacetFileError) return { entities: [], problems: [`[${error.message}]`] };
    throw error;
  }
}

function readNews(context: ToolContext, name: string, asked: string | undefined) {
  const days = newsDays(context.journal, name);
  const on = asked ?? days.at(-1) ?? today(context);
  const path = newsPath(context.journal, name, on);
  const answer = { facet: name, day: on, path, changed: false };
  if (!days.includes(on)) {
    const others = days.length > 0 ? `the latest are of ${days.slice(-5).join(", ")}` : "it has none yet";
    return {
      text: `no news of ${on} in facet "${name}": ${others}`,
      structured: { ...answer, text: "", is_cut: false },
    };
  }
  const { lines, to, isCut } = readResource(context.journal, path);
  const text = lines.join("\n");
  const note = isCut ? `\n[cut after line ${to}: go on with get_resource, from: ${to + 1}]` : "";
  return { text: `${path}:\n${text}${note}`, structured: { ...answer, text, is_cut: isCut } };
}

function range(paths: string[]): string {
  if (paths.length === 0) return "none";
  return paths.length <= 2 ? paths.join(", ") : `${paths.length} files, ${paths[0]} to ${paths.at(-1)}`;
}
