/** Searches of the web that the API makes: its items, which go back as they came, between the reasoning around them. Pure. */
import type { OpenAI } from "openai";
import { z } from "zod";
import { isRecord } from "../../../protocol/json/json-object.ts";
import type { Chunk } from "../../provider/provider.ts";
import { sourceOf } from "../../provider/sources.ts";

type Item = OpenAI.Responses.ResponseFunctionWebSearch;

export const webSearchTool: OpenAI.Responses.WebSearchTool = { type: "web_search" };

/** The field that tells where it searched: otherwise an item holds the query alone. */
export const includeSources: OpenAI.Responses.ResponseIncludable = "web_search_call.action.sources";

const text = z.string().nullish();

export const SearchItem = z.object({
  type: z.literal("web_search_call"),
  status: text,
  /** Another action than a search: a page was opened, or looked through. */
  action: z
    .object({
      query: text,
      queries: z.array(z.string()).nullish(),
      url: text,
      sources: z.array(z.object({ url: text })).nullish(),
    })
    .nullish()
    .catch(undefined),
});

export function isSearchItem(opaque: unknown): opaque is Item {
  return isRecord(opaque) && opaque["type"] === "web_search_call" && typeof opaque["id"] === "string";
}

/** `whole`: the item as it came. */
export function searched({ status, action }: z.infer<typeof SearchItem>, whole: unknown): Chunk {
  const { query, queries, url, sources } = action ?? {};
  return {
    type: "search",
    queries: queries?.length ? queries : query ? [query] : [],
    sources: [...(sources ?? []), { url }].flatMap((source) => sourceOf(source.url, undefined)),
    ...(status === "failed" && { error: "failed" }),
    ...(isSearchItem(whole) && { opaque: whole }),
  };
}
