/** A conversation as the messages of Chat Completions, as strict chat templates of local models want them. Pure. */
import type { OpenAI } from "openai";
import { isRecord } from "../../../protocol/json/json-object.ts";
import type { Message } from "../../../protocol/runs/run-config.ts";
import type { Media, ShownMessage } from "../../provider/media.ts";
import type { ModelCall } from "../../provider/provider.ts";
import { resultText } from "../endpoint/result-text.ts";
import { wireId, wireName } from "../endpoint/wire-tools.ts";
import { contentOf } from "./media-parts.ts";

/** Reasoning in whatever field its server sent it, see `chat-reasoning.ts`. */
type Assistant = OpenAI.ChatCompletionAssistantMessageParam & Record<string, unknown>;
type ChatMessage = OpenAI.ChatCompletionMessageParam;

/** One message of the system at the top, then the roles in turn: many templates raise an error for anything else. */
export function chatMessages({ instruction, context, messages }: ModelCall): ChatMessage[] {
  const system = [instruction, context].filter((text) => text !== "").join("\n\n");
  const turns = inTurn(messages[0]?.role === "assistant" ? [begun, ...messages] : messages);
  const lastUser = turns.findLastIndex(({ role }) => role === "user");
  return [
    ...(system === "" ? [] : [{ role: "system" as const, content: system }]),
    ...withToolMedia(turns.map((message, at) => [message, chatMessage(message, at > lastUser)])),
  ];
}

/** Templates refuse a conversation that begins with an answer. */
const begun: ShownMessage = { role: "user", text: "(The beginning of the conversation is not shown.)" };

/** A tool's message is text alone: files that tools returned stand in the user's message behind all results. */
function withToolMedia(turns: readonly (readonly [ShownMessage, ChatMessage])[]): ChatMessage[] {
  const messages: ChatMessage[] = [];
  let returned: Media[] = [];
  for (const [{ role, text, media = [] }, message] of turns) {
    const isReturned = returned.length > 0 && role !== "tool";
    if (isReturned && role !== "user") messages.push({ role: "user", content: contentOf(ofTools, returned) });
    messages.push(
      isReturned && role === "user" ? { role, content: contentOf(text ?? "", [...returned, ...media]) } : message,
    );
    if (isReturned) returned = [];
    if (role === "tool") returned.push(...media);
  }
  if (returned.length > 0) messages.push({ role: "user", content: contentOf(ofTools, returned) });
  return messages;
}

const ofTools = "(The files that the tools returned.)";

function chatMessage(message: ShownMessage, isOfThisTurn: boolean): ChatMessage {
  if (message.role === "user") return { role: "user", content: contentOf(message.text ?? "", message.media) };
  if (message.role === "tool")
    return { role: "tool", tool_call_id: wireId(message.call_id ?? ""), content: resultText(message) };
  const { think = "", ...fields } = reasoningOf(message, isOfThisTurn);
  const calls = message.calls?.map(({ call_id, tool, args }) => ({
    type: "function" as const,
    id: wireId(call_id),
    function: { name: wireName(tool), arguments: JSON.stringify(args) },
  }));
  const text = `${think}${message.text ?? ""}`;
  const spoken: Assistant = { role: "assistant", content: calls && text === "" ? null : text, ...fields };
  return calls ? { ...spoken, tool_calls: calls } : spoken;
}

/**
 * Details that a provider signed are sent back wherever they stand. Plain reasoning is, while its turn lasts: models that call
 * tools between their thoughts need it then (DeepSeek and Kimi refuse calls without it); that of earlier turns is left out by
 * the templates anyway, and was refused by DeepSeek's first.
 */
function reasoningOf(message: Message, isOfThisTurn: boolean): Record<string, unknown> & { think?: string } {
  const fields: Record<string, unknown> = {};
  for (const { opaque } of message.reasoning ?? []) {
    if (!isRecord(opaque)) continue;
    for (const [name, value] of Object.entries(opaque)) {
      const before = fields[name];
      if (name === "reasoning_details" && Array.isArray(value))
        fields[name] = [...(Array.isArray(before) ? (before as unknown[]) : []), ...(value as unknown[])];
      else if (plainFields.includes(name) && typeof value === "string" && isOfThisTurn)
        fields[name] = typeof before === "string" ? `${before}${value}` : value;
    }
  }
  return fields;
}

/** Items of the Responses API have other fields. */
const plainFields = ["reasoning_content", "reasoning", "think"];

/** Neighbours of one role as one message. Calls end a message: their results stand behind it. */
function inTurn(messages: readonly ShownMessage[]): ShownMessage[] {
  const turns: ShownMessage[] = [];
  for (const next of messages) {
    const last = turns.at(-1);
    if (!last || last.role !== next.role || next.role === "tool" || last.calls) turns.push(next);
    else turns.splice(-1, 1, joined(last, next));
  }
  return turns;
}

function joined(first: ShownMessage, second: ShownMessage): ShownMessage {
  const text = [first.text, second.text].filter(Boolean).join("\n\n");
  const media = [...(first.media ?? []), ...(second.media ?? [])];
  const reasoning = [...(first.reasoning ?? []), ...(second.reasoning ?? [])];
  return { ...first, ...second, text, reasoning, ...(media.length > 0 && { media }) };
}
