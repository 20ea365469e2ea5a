/** Lines of JSON as records of one kind. A line that is none is passed over: one broken line empties no conversation. */
import type { z } from "zod";
import { linesOf } from "./read-run.ts";
import { parseOwnJson } from "../protocol/parse-json.ts";

/** Each line with its record, or null for one that is none. */
export function* readLines<Schema extends z.ZodType>(
  bytes: Buffer,
  schema: Schema,
): Generator<{ line: z.infer<Schema> | null; text: string }> {
  for (const one of linesOf(bytes)) {
    const text = one.toString("utf8");
    yield { line: schema.safeParse(jsonOf(text)).data ?? null, text };
  }
}

export function parseLines<Schema extends z.ZodType>(bytes: Buffer, schema: Schema): z.infer<Schema>[] {
  const records: z.infer<Schema>[] = [];
  for (const line of linesOf(bytes)) {
    const parsed = schema.safeParse(jsonOf(line.toString("utf8")));
    if (parsed.success) records.push(parsed.data);
  }
  return records;
}

function jsonOf(text: string): unknown {
  try {
    return parseOwnJson(text);
  } catch {
    return undefined;
  }
}
