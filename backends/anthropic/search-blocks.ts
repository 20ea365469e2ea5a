/** A search that the API made: its call and its result. They go back together, exactly as they came. Pure. */
import type Anthropic from "@anthropic-ai/sdk";
import { z } from "zod";
import { parseJson } from "../../protocol/json/parse-json.ts";
import { isRecord } from "../../protocol/json/json-object.ts";
import type { Chunk } from "../provider/provider.ts";
import { sourceOf } from "../provider/sources.ts";

type Search = Extract<Chunk, { type: "search" }>;
type Block = Anthropic.ServerToolUseBlockParam | Anthropic.WebSearchToolResultBlockParam;

/** The API's tool. So many searches are made within one answer: each costs money. */
export const webSearchTool: Anthropic.WebSearchTool20250305 = {
  type: "web_search_20250305",
  name: "web_search",
  max_uses: 10,
};

const isBlock = (type: Block["type"]) => (value: unknown) => isRecord(value) && value["type"] === type;
const Pair = z.object({
  type: z.literal("web_search"),
  use: z.custom<Anthropic.ServerToolUseBlockParam>(isBlock("server_tool_use")),
  result: z.custom<Anthropic.WebSearchToolResultBlockParam>(isBlock("web_search_tool_result")),
});

/** The blocks that an `opaque` holds; none where it is something else, or isn't taken. */
export function readSearch(opaque: unknown, isTaken: (id: string) => boolean): [] | [use: Block, result: Block] {
  const { success, data } = Pair.safeParse(opaque);
  return success && isTaken(data.use.id) ? [data.use, data.result] : [];
}

/** The id of a search, of the block that asks for it. */
export const searchIdOf = (block: Anthropic.ContentBlockParam) => (block.type === "server_tool_use" ? [block.id] : []);

/**
 * A search whose result has come. One without a result, as where the answer pauses, is left out: the API refuses it, and the
 * model searches again.
 */
export function searched(
  use: Anthropic.ServerToolUseBlock,
  json: string,
  result: Anthropic.WebSearchToolResultBlock,
): Search {
  const input = json === "" ? use.input : inputOf(json);
  const query = isRecord(input) && typeof input["query"] === "string" ? input["query"] : "";
  const { content } = result;
  return {
    type: "search",
    queries: query === "" ? [] : [query],
    sources: Array.isArray(content) ? content.flatMap(({ url, title }) => sourceOf(url, title)) : [],
    ...(!Array.isArray(content) && { error: content.error_code }),
    opaque: { type: "web_search", use: { ...use, input }, result },
  };
}

function inputOf(json: string): unknown {
  try {
    return parseJson(json);
  } catch {
    return {};
  }
}
