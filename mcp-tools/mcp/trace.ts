/** The trace that a request belongs to, as its `_meta` has it (W3C Trace Context and Baggage). Pure. */
import { BAGGAGE_META_KEY, TRACEPARENT_META_KEY, TRACESTATE_META_KEY } from "@modelcontextprotocol/server";

/** Characters of each, the most that W3C asks for. */
const bounds = { [TRACEPARENT_META_KEY]: 128, [TRACESTATE_META_KEY]: 512, [BAGGAGE_META_KEY]: 8_192 };

/** The fields that are there and within their bounds. */
export function traceOf(meta: Record<string, unknown>): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [key, most] of Object.entries(bounds)) {
    const value = meta[key];
    if (typeof value === "string" && value.length <= most) fields[key] = value;
  }
  return fields;
}
