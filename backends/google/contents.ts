/** The neutral conversation as Google's: `user` and `model` by turns, each with its parts. Pure. */
import type { Content, Part } from "@google/genai/web";
import type { Media, ShownMessage } from "../provider/media.ts";
import type { Message, ToolCall } from "../../protocol/runs/run-config.ts";
import type { UnsupportedParameters } from "./unsupported-parameters.ts";
import { type Signature, signaturesIn } from "./signatures.ts";

/** Stands for the signature of a call that another model made. From Google's page on thought signatures. */
const foreign = "skip_thought_signature_validator";

type SignedText = Extract<Signature, { part: "text" }>;

/**
 * Neighbours of one role become one content; parts that say nothing are left out.
 * @param nameOf the name that a tool has at the API
 * @param model models before Gemini 3 refuse files within a tool's result: these stand behind all results of a turn
 * @param hasSearches whether the API's own searches go back
 */
export function contentsOf(
  messages: readonly ShownMessage[],
  signatures: UnsupportedParameters["signatures"],
  nameOf: (tool: string) => string,
  { model, hasSearches }: { model: string; hasSearches: boolean },
): Content[] {
  const isOld = /gemini-[12]\b/.test(model);
  const contents: { role: string; parts: Part[] }[] = [];
  const toolOf = new Map<string, string>();
  for (const message of messages) {
    const role = message.role === "assistant" ? "model" : "user";
    const last = contents.at(-1);
    const content = last?.role === role ? last : { role, parts: [] };
    if (message.role === "assistant") {
      const signed = signatures === "left out" ? [] : signaturesIn(message.reasoning);
      const own = signed.filter((each) => hasSearches || each.signed.part !== "search");
      addAnswer(content.parts, message, own, nameOf);
      for (const { call_id, tool } of message.calls ?? []) toolOf.set(call_id, tool);
    } else if (message.role === "tool") {
      const { media, ...rest } = message;
      const name = nameOf(toolOf.get(message.call_id ?? "") ?? "");
      content.parts.push(...(isOld ? [resultPart(rest, name), ...mediaParts(media)] : [resultPart(message, name)]));
    } else {
      content.parts.push(...mediaParts(message.media));
      if (message.text?.trim()) content.parts.push({ text: message.text });
    }
    if (content !== last && content.parts.length > 0) contents.push(content);
  }
  if (isOld) for (const content of contents) content.parts = resultsFirst(content.parts);
  if (signatures !== "kept") for (const { parts } of contents) markForeign(parts);
  // A conversation that was cut at the front may begin with an answer, which the API refuses.
  if (contents[0]?.role === "model")
    contents.unshift({ role: "user", parts: [{ text: "(What was said before is lost.)" }] });
  return contents;
}

function addAnswer(
  parts: Part[],
  { text, calls = [] }: Message,
  own: ReturnType<typeof signaturesIn>,
  nameOf: (tool: string) => string,
): void {
  for (const { signed, summary } of own)
    if (signed.part === "thought") parts.push({ text: summary, thought: true, thoughtSignature: signed.signature });
    else if (signed.part === "search") parts.push(signed.whole as Part);
  if (text?.trim()) parts.push({ text });
  for (const { signed } of own) if (signed.part === "text") signText(parts, signed);
  for (const [at, call] of calls.entries()) {
    const signed = own.flatMap((each) => (each.signed.part === "call" && each.signed.call === at ? [each.signed] : []));
    parts.push(callPart(call, signed[0]?.signature, nameOf));
  }
}

/** Splits the text where the signed piece was: its message's own text, or what was said right before. */
function signText(parts: Part[], { text, signature, behind = "" }: SignedText): void {
  const signed: Part = { text, thoughtSignature: signature };
  const wanted = text === "" ? behind : text;
  const at = parts.findLastIndex((part) => isPlainText(part) && part.text?.includes(wanted));
  const whole = parts[at]?.text;
  if (wanted === "" || whole === undefined) {
    if (text === "") parts.push(signed);
    return;
  }
  const from = whole.lastIndexOf(wanted) + (text === "" ? behind.length : 0);
  const pieces: Part[] = [{ text: whole.slice(0, from) }, { text: whole.slice(from + text.length) }];
  const [before, after] = pieces.map((part) => (part.text === "" ? [] : [part]));
  parts.splice(at, 1, ...(before ?? []), signed, ...(after ?? []));
}

function isPlainText(part: Part): boolean {
  return part.text !== undefined && !part.thought && part.thoughtSignature === undefined;
}

function callPart(
  { call_id: id, tool, args }: ToolCall,
  signature: string | undefined,
  nameOf: (tool: string) => string,
): Part {
  return {
    functionCall: { id, name: nameOf(tool), args: args as Record<string, unknown> },
    ...(signature !== undefined && { thoughtSignature: signature }),
  };
}

const mediaParts = (media: readonly Media[] = []) =>
  media.map(({ mime, data }) => ({ inlineData: { mimeType: mime, data } }));

function resultPart({ call_id: id, result, is_error, media }: ShownMessage, name: string): Part {
  // As text also where it is JSON: the API takes a `$ref` inside of a result for a reference of its own, and refuses it.
  const text = typeof result === "string" ? result : JSON.stringify(result ?? null);
  return {
    functionResponse: {
      ...(id !== undefined && { id }),
      name,
      response: { [is_error ? "error" : "output"]: text },
      // Within the response: beside it they would be counted as responses to calls that there weren't.
      ...(media && { parts: mediaParts(media) }),
    },
  };
}

const resultsFirst = (parts: readonly Part[]) =>
  parts.toSorted((a, b) => Number(b.functionResponse !== undefined) - Number(a.functionResponse !== undefined));

/** Only the first call of a step has to be signed. */
function markForeign(parts: Part[]): void {
  const first = parts.find((part) => part.functionCall);
  if (first) first.thoughtSignature ??= foreign;
}
