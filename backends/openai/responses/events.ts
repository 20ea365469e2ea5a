/** The events of a streamed response, as far as they are understood: read at the edge, since the server may be anyone's. Pure. */
import { z } from "zod";
import { isRecord } from "../../../protocol/json/json-object.ts";
import type { Endpoint } from "../endpoint/endpoint.ts";
import { parseServerData } from "../../provider/server-events.ts";
import { streamFailures } from "../endpoint/failures.ts";
import { SearchItem } from "./search-items.ts";

const text = z.string().nullish();
const count = z.number().nullish();

const MessageItem = z.object({
  type: z.literal("message"),
  content: z.array(
    z.object({
      type: z.string(),
      text,
      refusal: text,
      annotations: z
        .array(z.object({ type: z.string(), url: z.unknown(), title: z.unknown() }))
        .nullish()
        .catch(undefined),
    }),
  ),
});
export type MessagePart = z.infer<typeof MessageItem>["content"][number];
const ReasoningItem = z.object({
  type: z.literal("reasoning"),
  summary: z.array(z.object({ text })).nullish(),
  content: z.array(z.object({ text })).nullish(),
});
export type ReasoningItem = z.infer<typeof ReasoningItem>;
const FunctionCallItem = z.object({
  type: z.literal("function_call"),
  call_id: z.string(),
  name: z.string(),
  arguments: z.string(),
  status: text,
});
const Item = z.discriminatedUnion("type", [MessageItem, ReasoningItem, FunctionCallItem, SearchItem]);
const itemTypes: readonly unknown[] = ["message", "reasoning", "function_call", "web_search_call"];

const EndedResponse = z.object({
  usage: z
    .object({
      input_tokens: z.number(),
      input_tokens_details: z.object({ cached_tokens: count, cache_write_tokens: count }).nullish(),
      output_tokens: z.number(),
      output_tokens_details: z.object({ reasoning_tokens: count }).nullish(),
    })
    .nullish(),
  tool_usage: z
    .object({ web_search: z.object({ num_requests: count }).nullish() })
    .nullish()
    .catch(undefined),
  incomplete_details: z.object({ reason: text }).nullish(),
  error: z.unknown().optional(),
});
export type EndedResponse = z.infer<typeof EndedResponse>;

const Known = z.discriminatedUnion("type", [
  z.object({ type: z.literal("response.output_text.delta"), delta: z.string() }),
  z.object({ type: z.literal("response.output_item.done"), item: z.unknown().optional() }),
  z.object({ type: z.literal("response.completed"), response: EndedResponse }),
  z.object({ type: z.literal("response.incomplete"), response: EndedResponse }),
  z.object({ type: z.literal("response.failed"), response: EndedResponse }),
]);
const knownTypes: readonly unknown[] = Known.options.map(({ shape }) => shape.type.value);

/** Events that a server sends before its model does anything. */
const beginnings: readonly unknown[] = ["response.created", "response.queued", "response.in_progress"];

type Event = z.infer<typeof Known> | { type: "error"; error: unknown } | { type: "beginning" } | { type: "other" };

/** @throws ProviderError for an event that isn't what its type says */
export function readEvent(data: unknown, endpoint: Endpoint): Event {
  const { type, error = data } = isRecord(data) ? data : {};
  // As documented, its fields are the event's own; they have been seen inside of `error` too, with no type around it.
  if (type === "error" || (type === undefined && error !== data)) return { type: "error", error };
  if (knownTypes.includes(type)) return parseServerData(Known, data, streamFailures(endpoint));
  return { type: beginnings.includes(type) ? "beginning" : "other" };
}

/** @throws ProviderError */
export function readItem(data: unknown, endpoint: Endpoint): z.infer<typeof Item> | undefined {
  return isRecord(data) && itemTypes.includes(data["type"])
    ? parseServerData(Item, data, streamFailures(endpoint))
    : undefined;
}
