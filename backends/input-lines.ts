/** Parses a line on stdin: a run's configuration, a control for the run before it, or neither. */
import type { Readable } from "node:stream";
import { type Line, LineSplitter } from "../files/lines/line-splitter.ts";
import { dropNulls, isRecord } from "../protocol/json/json-object.ts";
import { ControlLine, RunConfig } from "../protocol/runs/run-config.ts";
import { JsonDepthError, parseOwnJson } from "../protocol/json/parse-json.ts";

/** A configuration holds the whole conversation. */
const maxBytes = 256 * 1024 * 1024;

/** The lines of a stream, split at LF alone: `readline` would also split at U+2028, inside of strings. */
export async function* inputLines(stream: Readable): AsyncGenerator<Line, undefined> {
  const splitter = new LineSplitter(0, maxBytes);
  for await (const chunk of stream) yield* splitter.push(chunk);
  yield* splitter.finish();
}

export type Instruction =
  | { kind: "run"; config: RunConfig }
  | { kind: "control"; control: ControlLine }
  | { kind: "invalid"; error: string };

/** Reads a line that isn't blank. */
export async function readInstruction(line: Line): Promise<Instruction> {
  if (line.truncated) return invalid(`a line is longer than ${maxBytes / 1024 / 1024} MiB`);
  let value: unknown;
  try {
    value = parseOwnJson(line.text);
  } catch (error) {
    if (error instanceof JsonDepthError) return invalid(`a line is ${error.message}`);
    return invalid(`a line isn't JSON: ${excerpt(line.text)}`);
  }
  const control = ControlLine.safeParse(value);
  if (control.success) return { kind: "control", control: control.data };
  if (!isRecord(value)) return invalid(`a line isn't a JSON object: ${excerpt(line.text)}`);
  const fields = dropNulls(value);
  const config = RunConfig.safeParse(fields);
  if (!config.success) {
    // This module knows all of a request's fields; it is needed for a bad line alone.
    const { issueTexts } = await import("../protocol/words/issues.ts");
    return invalid(issueTexts(config.error, fields).join("; "));
  }
  if (config.data.prompt.trim() === "") return invalid("prompt: expected text, not blank");
  return { kind: "run", config: config.data };
}

const invalid = (what: string): Instruction => ({ kind: "invalid", error: `cannot run: ${what}` });

const excerpt = (text: string) => JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
