/** What a request says, apart from how it is written: whether two are the same, and what of one may be shown. Pure. */
import { createHash } from "node:crypto";
import { isRecord, type Request } from "./request.ts";

/** A hash of a request's content: equal for equal contents, in whatever order the fields stand. Nulls are dropped before. */
export function contentHash(request: Request): string {
  const { event: _, ...content } = request;
  return createHash("sha256").update(canonical(content)).digest("hex");
}

/** The request as it may be shown: the values of `env` are secrets, also those of a handoff, and in what is no request. */
export function redacted(value: unknown): unknown {
  if (typeof value === "string") return value.replace(/("env"\s*:).*/s, '$1 "***"');
  if (Array.isArray(value)) return value.map(redacted);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => {
      if (key === "env") return [key, isRecord(field) ? hidden(field) : "***"];
      return [key, key === "handoff" ? redacted(field) : field];
    }),
  );
}

const hidden = (env: Record<string, unknown>) => Object.fromEntries(Object.keys(env).map((name) => [name, "***"]));

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isRecord(value)) return JSON.stringify(value) ?? "null";
  const keys = Object.keys(value).toSorted();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(",")}}`;
}
