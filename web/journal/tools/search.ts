/** Search in the days and facets, by the tool server, which keeps the index. */
import { z } from "zod";
import { WorkspaceError } from "../../../workspace/records/workspace-error.ts";
import type { Machine } from "../../machine/machine.ts";
import { callTool } from "./tool-client.ts";

const Hits = z.object({
  hits: z.array(
    z.object({
      path: z.string(),
      line: z.number(),
      snippet: z.string(),
      day: z.string().nullable(),
      facet: z.string().nullable(),
    }),
  ),
});

export type Search = {
  text: string;
  day_from?: string | undefined;
  day_to?: string | undefined;
  facet?: string | undefined;
  limit: number;
};

/** The best hits first. @throws WorkspaceError `invalid`; UnavailableError when the tool server is away */
export async function searchJournal(machine: Pick<Machine, "journal">, { text, ...rest }: Search) {
  const { isError, content, structuredContent } = await callTool(machine, "search_journal", { query: text, ...rest });
  if (isError === true) {
    const [part] = Array.isArray(content) ? (content as { text?: unknown }[]) : [];
    throw new WorkspaceError("invalid", typeof part?.text === "string" ? part.text : "the search failed");
  }
  const { hits } = Hits.parse(structuredContent);
  return { items: hits.map((hit) => ({ ...hit, matches: matchesIn(hit.snippet, text) })), next: null };
}

const [mostWords, shortestPrefix] = [32, 4];

/** Where words of the query stand, or longer ones that begin with them, as the index finds them. Pure. */
export function matchesIn(snippet: string, query: string): [from: number, to: number][] {
  const wanted = [...query.matchAll(/[\p{L}\p{N}\p{M}]+/gu)].map(([word]) => word.toLowerCase()).slice(0, mostWords);
  const isWanted = (word: string) =>
    wanted.some((one) => word === one || (one.length >= shortestPrefix && word.startsWith(one)));
  return [...snippet.matchAll(/[\p{L}\p{N}\p{M}]+/gu)]
    .filter(([word]) => isWanted(word.toLowerCase()))
    .map(({ index, 0: word }) => [index, index + word.length]);
}
