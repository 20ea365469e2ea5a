/** A block of reasoning as the API signed it. It goes back exactly as it came: any change and it is refused. Pure. */
import type Anthropic from "@anthropic-ai/sdk";
import { isRecord } from "../../protocol/json/json-object.ts";

export type ReasoningBlock = Anthropic.ThinkingBlockParam | Anthropic.RedactedThinkingBlockParam;

/** The block that an `opaque` holds; none where it is something else. */
export function readReasoning(opaque: unknown): ReasoningBlock | undefined {
  return isReasoning(opaque) ? opaque : undefined;
}

export function isReasoning(block: unknown): block is ReasoningBlock {
  return isRecord(block) && (block["type"] === "thinking" || block["type"] === "redacted_thinking");
}

/** The API's signature of a block. */
export function sealOf(block: ReasoningBlock): string {
  return block.type === "thinking" ? block.signature : block.data;
}
