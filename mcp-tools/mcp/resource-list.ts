/** The list of resources, page by page: facets, then days and runs, the newest first. */
import type { Resource } from "@modelcontextprotocol/server";
import { listDays } from "../../journal/notes/days.ts";
import { listFacets } from "../../journal/notes/facets.ts";
import { type RunFile, runFiles, summaryOf } from "../../journal/runs/list-runs.ts";
import { placeOfUri, templates, uriOf } from "./resource-uris.ts";
import type { Rights } from "./request-context.ts";

const pageSize = 100;

/** A resource that can be listed; it is described only when its page is asked for. Null: it has gone meanwhile. */
type Entry = { uri: string; describe: () => Resource | null | Promise<Resource | null> };

/**
 * A page of the list. The cursor is the URI that the page before ended with, so that what is new doesn't shift the pages.
 * @returns undefined for a cursor that none of our pages ended with
 */
export async function listPage(
  journal: string,
  rights: Rights,
  cursor?: string,
): Promise<{ resources: Resource[]; nextCursor?: string } | undefined> {
  const after = cursor === undefined ? undefined : orderOf(cursor);
  if (cursor !== undefined && after === undefined) return undefined;
  const page: Entry[] = [];
  for (const entry of entries(journal, rights)) {
    if (after !== undefined && (orderOf(entry.uri) ?? "") <= after) continue;
    if (page.length === pageSize) return { resources: await described(page), nextCursor: page.at(-1)?.uri ?? "" };
    page.push(entry);
  }
  return { resources: await described(page) };
}

async function described(page: Entry[]): Promise<Resource[]> {
  const resources: Resource[] = [];
  for (const { describe } of page) {
    const resource = await describe();
    if (resource) resources.push(resource);
  }
  return resources;
}

function* entries(journal: string, rights: Rights): Generator<Entry> {
  const { mimeType } = templates.facet;
  for (const { name, title, description } of listFacets(journal)) {
    const uri = uriOf(`facets/${name}`);
    yield { uri, describe: () => ({ uri, name, title, ...(description && { description }), mimeType }) };
  }
  for (const day of listDays(journal).toReversed()) {
    const uri = uriOf(day);
    yield {
      uri,
      describe: () => ({ uri, name: day, description: "The events of this day, and its files.", mimeType }),
    };
  }
  if (rights.runs) for (const file of runFiles(journal)) yield runEntry(file);
}

function runEntry(file: RunFile): Entry {
  const uri = uriOf(`runs/${file.agentId}`);
  const describe = async () => {
    const run = await summaryOf(file);
    if (!run) return null;
    const asked = run.prompt.replace(/\s+/g, " ").slice(0, 200);
    const description = `${run.persona}, ${run.state}${asked ? `: ${asked}` : ""}`;
    return { uri, name: file.agentId, description, mimeType: templates.run.mimeType };
  };
  return { uri, describe };
}

/** The places of URIs in the list sort as these texts do. */
function orderOf(uri: string): string | undefined {
  const place = placeOfUri(uri);
  if (place?.kind === "facet") return `1 ${place.facet}`;
  if (place?.kind === "day") return `2 ${backwards(place.day)}`;
  if (place?.kind === "run") return `3 ${backwards(place.agentId)}`;
  return undefined;
}

const backwards = (digits: string) => digits.replace(/\d/g, (digit) => String(9 - Number(digit)));
