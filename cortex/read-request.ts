/** A message becomes a request, or the reason why it can't. Pure. */
import { createHash } from "node:crypto";
import { dropNulls, isRecord, Request } from "../protocol/request.ts";
import type { Rejection } from "../protocol/subjects.ts";

/** How much of a message that is no JSON is shown to whoever sent it. */
const shownBytes = 2048;

export type Reading =
  | { ok: true; request: Request; agentId: string | null; hash: string }
  | { ok: false; rejection: Rejection };

/** Reads a message from `cortex.request`. */
export function readRequest(data: Uint8Array): Reading {
  const text = new TextDecoder().decode(data);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return invalid(`not JSON: ${error instanceof Error ? error.message : error}`, text.slice(0, shownBytes));
  }
  if (!isRecord(value)) return invalid(`expected a JSON object, got ${nameOf(value)}`, value);
  const fields = dropNulls(value);
  const parsed = Request.safeParse(fields);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const path = issue?.path ?? [];
    const shown = path[0] === "env" ? "a secret" : shortly(valueAt(fields, path));
    return invalid(`${path.join(".") || "request"}: ${issue?.message ?? "invalid"}, got ${shown}`, value);
  }
  const request = parsed.data;
  const agentId = request.ts === undefined ? (request.agent_id ?? null) : String(request.ts);
  return { ok: true, request, agentId, hash: contentHash(request) };
}

/** A hash of what a request says: equal for equal contents, in whatever order its fields stand. */
export function contentHash(request: Request): string {
  const { event: _, ...content } = request;
  return createHash("sha256").update(canonical(content)).digest("hex");
}

/** The request as it may be shown: the values of `env` are secrets, also those of a handoff. */
export function redacted(value: unknown): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => {
      if (key === "env" && isRecord(field)) return [key, Object.fromEntries(Object.keys(field).map((name) => [name, "***"]))];
      if (key === "env") return [key, "***"];
      return [key, key === "handoff" ? redacted(field) : field];
    }),
  );
}

function invalid(error: string, request: unknown): Reading {
  return { ok: false, rejection: { error, reason: "invalid", request: redacted(request) } };
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isRecord(value)) return JSON.stringify(value) ?? "null";
  const keys = Object.keys(value).toSorted();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(",")}}`;
}

function valueAt(value: unknown, path: PropertyKey[]): unknown {
  return path.reduce<unknown>((inner, key) => (isRecord(inner) ? inner[String(key)] : undefined), value);
}

function shortly(value: unknown): string {
  const text = JSON.stringify(value);
  return text === undefined ? "nothing" : text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

function nameOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "an array" : typeof value;
}
