/** The neutral conversation as the Messages API takes it: user and assistant in turn, each a list of blocks. Pure. */
import type Anthropic from "@anthropic-ai/sdk";
import type { Message } from "../../protocol/runs/run-config.ts";
import { mediaBlocks } from "./media-blocks.ts";
import type { ShownMessage } from "../provider/media.ts";
import { type ReasoningBlock, readReasoning } from "./reasoning-block.ts";
import { readSearch } from "./search-blocks.ts";
import { wellFormed } from "./well-formed.ts";
import { wireName } from "./wire-names.ts";

type Block = Anthropic.ContentBlockParam;
export type WireMessage = { role: "user" | "assistant"; content: Block[] };

/** The first message has to be the user's. */
const begin = "(The beginning of the conversation is not shown.)";

/** The last one too: an answer can't be begun for the model. After a pause it is asked to go on. */
const goOn = "(Go on from where you were.)";

/**
 * Neighbours of the same role become one message: so all results of a turn stand in the one right behind their calls.
 * @param isTaken whether a block of reasoning may go back
 * @param isSearchTaken whether a search of the API's own may, by its id
 */
export function toMessages(
  messages: readonly ShownMessage[],
  isTaken: (block: ReasoningBlock) => boolean,
  isSearchTaken: (id: string) => boolean,
): WireMessage[] {
  const turns: WireMessage[] = [];
  const add = (role: WireMessage["role"], content: Block[]) => {
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...content);
    else if (content.length > 0) turns.push({ role, content });
  };
  for (const message of messages) {
    if (message.role === "user") add("user", [...mediaBlocks(message.media), ...textBlocks(message.text)]);
    else if (message.role === "tool") add("user", [resultBlock(message)]);
    else add("assistant", assistantBlocks(message, isTaken, isSearchTaken));
  }
  if (turns[0]?.role !== "user") turns.unshift({ role: "user", content: textBlocks(begin) });
  add("user", turns.at(-1)?.role === "assistant" ? textBlocks(goOn) : []);
  return turns;
}

/** As a block; none where there is nothing but white space, which the API refuses. */
export function textBlocks(text = ""): Anthropic.TextBlockParam[] {
  return text.trim() === "" ? [] : [{ type: "text", text: text.toWellFormed() }];
}

function assistantBlocks(
  message: Message,
  isTaken: (block: ReasoningBlock) => boolean,
  isSearchTaken: (id: string) => boolean,
): Block[] {
  const reasoning = (message.reasoning ?? []).flatMap(({ opaque }): Block[] => {
    const block = readReasoning(opaque);
    if (block) return isTaken(block) ? [block] : [];
    return readSearch(opaque, isSearchTaken);
  });
  const calls = (message.calls ?? []).map(
    ({ call_id, tool, args }): Block => ({
      type: "tool_use",
      id: wireName(call_id),
      name: wireName(tool),
      input: wellFormed(args ?? {}),
    }),
  );
  return [...reasoning, ...textBlocks(message.text), ...calls];
}

function resultBlock({ call_id = "", result, is_error, media = [] }: ShownMessage): Block {
  const text = typeof result === "string" ? result : JSON.stringify(result ?? "");
  const content = media.length > 0 ? [...textBlocks(text), ...mediaBlocks(media)] : text.toWellFormed();
  return {
    type: "tool_result",
    tool_use_id: wireName(call_id),
    ...(text.trim() !== "" && { content }),
    ...(is_error && { is_error }),
  };
}
