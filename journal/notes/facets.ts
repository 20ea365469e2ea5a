/** The facets of a journal: what each is about, its events and which files it has. */
import { type Dirent, lstatSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { isDay, namePattern } from "../../protocol/names/names.ts";
import { textLines } from "../../files/lines/text-lines.ts";
import { parseJson, parseLine } from "../../protocol/json/parse-json.ts";

/** `facet.json`. A field of the wrong type counts as absent: one slip doesn't hide a facet. */
export const FacetFile = z.looseObject({
  title: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  color: z.string().optional().catch(undefined),
  emoji: z.string().optional().catch(undefined),
  muted: z.boolean().catch(false).default(false),
});
export type FacetFile = z.infer<typeof FacetFile>;
export type Facet = FacetFile & { name: string; title: string };

/** A line of `events/<day>.jsonl`. */
export const FacetEvent = z.looseObject({
  title: z.string(),
  start: z.string().optional().catch(undefined),
  end: z.string().optional().catch(undefined),
  summary: z.string().optional().catch(undefined),
  /** `false`: expected, and not yet or never happened. */
  occurred: z.boolean().catch(true).default(true),
});
export type FacetEvent = z.infer<typeof FacetEvent>;

/** A record with the line of the file that holds it, which is relative to the journal. */
export type PlacedRecord<T> = { path: string; line: number; record: T };

/** A name that isn't a facet of the journal. */
export class UnknownFacetError extends Error {
  constructor(journal: string, name: string) {
    const known = listFacets(journal).map((facet) => facet.name);
    super(
      `no facet "${name}": ${known.length > 0 ? `the facets are ${known.join(", ")}` : "the journal has no facets"}`,
    );
    this.name = "UnknownFacetError";
  }
}

/** All facets, muted ones too, in order of their names. A folder without a readable `facet.json` is one with its name as title. */
export function listFacets(journal: string): Facet[] {
  return entriesOf(journal, "facets")
    .filter((entry) => entry.isDirectory() && namePattern.test(entry.name))
    .map(({ name }) => load(journal, name))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** @throws UnknownFacetError */
export function readFacet(journal: string, name: string): Facet {
  const folder = namePattern.test(name) ? withoutLinks(journal, `facets/${name}`) : undefined;
  if (folder === undefined || !lstatSync(folder).isDirectory()) throw new UnknownFacetError(journal, name);
  return load(journal, name);
}

/** Where a facet of a checked name stands, if it is there: `readFacet` tells. */
export const facetFolder = (journal: string, name: string) => join(realpathSync(journal), "facets", name);

/** The events of a day in a facet, as they stand in the file. Lines that aren't events, a torn last one too, are left out. */
export function eventsOf(journal: string, facet: string, day: string): PlacedRecord<FacetEvent>[] {
  if (!isDay(day)) throw new Error(`"${day}" is not a day: expected YYYYMMDD, such as 20250109`);
  readFacet(journal, facet);
  return records(journal, `facets/${facet}/events/${day}.jsonl`, FacetEvent);
}

/** The files of one kind in a facet, relative to the journal, in order of their names. */
export function facetFiles(journal: string, facet: string, kind: "events" | "news" | "todos"): string[] {
  readFacet(journal, facet);
  const folder = `facets/${facet}/${kind}`;
  return entriesOf(journal, folder)
    .filter((entry) => entry.isFile() && !entry.name.startsWith("."))
    .map(({ name }) => `${folder}/${name}`)
    .toSorted();
}

function load(journal: string, name: string): Facet {
  let file = FacetFile.parse({});
  try {
    const path = withoutLinks(journal, `facets/${name}/facet.json`);
    if (path) file = FacetFile.catch(file).parse(parseJson(readFileSync(path, "utf8")));
  } catch {
    // Torn or unreadable: the folder is a facet all the same.
  }
  return { ...file, name, title: file.title ?? name };
}

function records<T>(journal: string, path: string, schema: z.ZodType<T>): PlacedRecord<T>[] {
  const found: PlacedRecord<T>[] = [];
  const file = withoutLinks(journal, path);
  if (!file) return found;
  for (const { number, text } of textLines(file)) {
    const value = parseLine(text);
    if (value === undefined) continue;
    const parsed = schema.safeParse(value);
    if (parsed.success) found.push({ path, line: number, record: parsed.data });
  }
  return found;
}

function entriesOf(journal: string, folder: string): Dirent[] {
  const path = withoutLinks(journal, folder);
  return path && lstatSync(path).isDirectory() ? readdirSync(path, { withFileTypes: true }) : [];
}

/** The path of what exists and is reached through no link: one could lead out of the facets. */
function withoutLinks(journal: string, path: string): string | undefined {
  const straight = join(realpathSync(journal), path);
  try {
    return realpathSync(straight) === straight ? straight : undefined;
  } catch {
    return undefined;
  }
}
