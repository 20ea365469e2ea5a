/** Lines of JSON as records of one kind. A line that is none is passed over: one broken line empties no conversation. */
import type { z } from "zod";
import { linesOf } from "./read-run.ts";
import { parseOwnJson } from "../protocol/parse-json.ts";

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
