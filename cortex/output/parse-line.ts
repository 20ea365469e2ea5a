/** A line of an agent's output becomes an event. Pure: no clock, no files. */
import { ErrorReason } from "../../protocol/events/error-reason.ts";
import { cortexOwnEvents, type EventBody } from "../../protocol/runs/event.ts";
import { textField } from "../../protocol/runs/text-field.ts";
import { eventNamePattern } from "../../protocol/names/names.ts";
import { hideContents } from "../../protocol/runs/hide-contents.ts";
import { isRecord } from "../../protocol/json/json-object.ts";
import { type Line, maxLineBytes } from "../../files/lines/line-splitter.ts";
import { tryParseJson } from "../../protocol/json/parse-json.ts";

export type Parsed =
  /** Goes into the file and onto the bus. */
  | { kind: "event"; event: EventBody }
  /** Goes onto the bus alone. */
  | { kind: "delta"; event: EventBody }
  /** Says no more than that the agent is at work, or nothing at all. */
  | { kind: "nothing" };

/** How much of a line is kept that would be too long as an event, in characters. */
const headCharacters = 4096;
/** By how much JSON may grow when it is written again: a control character becomes six. */
const maxGrowth = 6;

/** Parses a line. Whatever it holds, it is read: what is not an event of an agent's becomes `info`. */
export function parseLine(line: Line): Parsed {
  const parsed = eventOf(line);
  if (parsed.kind === "nothing" || line.text.length * maxGrowth <= maxLineBytes) return parsed;
  const isTooLong = Buffer.byteLength(JSON.stringify(parsed.event)) > maxLineBytes;
  return isTooLong ? info(line.text.slice(0, headCharacters), { truncated: true }) : parsed;
}

function eventOf(line: Line): Parsed {
  if (line.truncated) return info(line.text, { truncated: true });
  if (line.text.trim() === "") return { kind: "nothing" };
  const value = tryParseJson(line.text);
  if (!isRecord(value) || typeof value["event"] !== "string") return info(line.text);
  const name = value["event"];
  if (!eventNamePattern.test(name) || cortexOwnEvents.has(name)) return info(line.text);
  const event: EventBody = { ...value, event: name };
  switch (name) {
    case "pulse":
      return { kind: "nothing" };
    case "text_delta":
    case "tool_output":
      return { kind: "delta", event };
    case "tool_start":
    case "tool_end":
      return { kind: "event", event: withHiddenContents(event) };
    case "info":
      return { kind: "event", event: { ...event, message: textField(event, "message") } };
    case "finish":
      return { kind: "event", event: { ...event, result: textField(event, "result") } };
    case "error":
      return { kind: "event", event: readError(event) };
    default:
      return { kind: "event", event };
  }
}

/** Contents of files stand in their store alone. */
function withHiddenContents(event: EventBody): EventBody {
  return "args" in event ? { ...event, args: hideContents(textField(event, "tool"), event["args"]) } : event;
}

function info(message: string, more: Record<string, unknown> = {}): Parsed {
  return { kind: "event", event: { event: "info", message, ...more } };
}

/** An agent's error counts as one of its provider's unless it says otherwise. */
function readError(event: EventBody): EventBody {
  const reason = ErrorReason.safeParse(event["reason"]);
  return {
    ...event,
    error: textField(event, "error") || "unknown error",
    reason: reason.success ? reason.data : "provider",
  };
}
