/** The options of `cortex-request`, as a request. */
import { resolve } from "node:path";
import type { AttachmentRef } from "../../protocol/files/attachment.ts";
import { issueTexts } from "../../protocol/words/issues.ts";
import { Request, requestFields } from "../../protocol/runs/request/request.ts";
import type { AskRequest } from "../command/connection.ts";
import { usageError } from "../command/command.ts";
import { parseJson } from "../../protocol/json/parse-json.ts";

export const requestOptions = {
  persona: { type: "string", short: "p" },
  backend: { type: "string", short: "b" },
  model: { type: "string", short: "m" },
  facet: { type: "string" },
  folder: { type: "string" },
  worktree: { type: "boolean" },
  day: { type: "string" },
  save: { type: "string" },
  handoff: { type: "string" },
  continue: { type: "string" },
  tools: { type: "string" },
  "no-tools": { type: "boolean" },
  timeout: { type: "string", short: "t" },
  attach: { type: "string", multiple: true },
  set: { type: "string", multiple: true },
} as const;

export type RequestValues = {
  [K in keyof typeof requestOptions]?: K extends "no-tools" | "worktree"
    ? boolean
    : K extends "set" | "attach"
      ? string[]
      : string;
};

/**
 * The request that the options make.
 * @throws CommandError naming the option, its value and what was expected
 */
export function requestFrom(prompt: string, values: RequestValues, attachments: AttachmentRef[] = []): AskRequest {
  const {
    continue: continueFrom,
    "no-tools": noTools,
    timeout,
    handoff,
    folder,
    set = [],
    attach: _,
    ...same
  } = values;
  const fields: Record<string, unknown> = {
    ...same,
    prompt,
    ...(folder === undefined ? {} : { folder: resolve(folder) }),
    ...(continueFrom === undefined ? {} : { continue_from: continueFrom }),
    ...(handoff === undefined ? {} : { handoff: handoffOf(handoff) }),
    ...(noTools ? { disable_mcp: true } : {}),
    ...(timeout === undefined ? {} : { timeout_seconds: secondsOf(timeout) }),
    ...(attachments.length > 0 && { attachments }),
    ...Object.fromEntries(set.map(fieldOf)),
  };
  const parsed = Request.safeParse(fields);
  if (parsed.success) return parsed.data;
  throw usageError(issueTexts(parsed.error, fields).join("; "), "see: cortex-request --help");
}

function secondsOf(text: string): number {
  const seconds = Number(text);
  if (!(seconds > 0))
    throw usageError(`--timeout "${text}": expected a number of seconds above 0`, "for example: --timeout 60");
  return seconds;
}

/** `PERSONA`, whose prompt is the result, or `PERSONA:PROMPT`. */
function handoffOf(text: string): { persona: string; prompt?: string } {
  const [persona = ""] = text.split(":", 1);
  const prompt = text.slice(persona.length + 1).trim();
  if (persona === "")
    throw usageError(`--handoff "${text}": expected PERSONA or PERSONA:PROMPT`, "for example: --handoff reviewer");
  return { persona, ...(prompt === "" ? {} : { prompt }) };
}

/** `key=value`: text where the field takes text, JSON elsewhere. */
function fieldOf(pair: string): [string, unknown] {
  const at = pair.indexOf("=");
  if (at < 1) throw usageError(`--set "${pair}": expected key=value`, "for example: --set max_tokens=1000");
  const [key, text] = [pair.slice(0, at), pair.slice(at + 1)];
  if (requestFields.has(key) && Request.shape[key as keyof typeof Request.shape].safeParse(text).success)
    return [key, text];
  try {
    return [key, parseJson(text)];
  } catch {
    return [key, text];
  }
}
