/** Lines of JSON as records of one kind. A line that is none is passed over: one broken line empties no conversation. */
import type { z } from "zod";
import { maxOwnJsonDepth, parseLine } from "../../protocol/json/parse-json.ts";

/** Each line with its record, or null for one that is none. */
export function* readLines<Schema extends z.ZodType>(
  bytes: Buffer,
  schema: Schema,
): Generator<{ line: z.infer<Schema> | null; text: string }> {
  for (const one of linesOf(bytes)) {
    const text = one.toString("utf8");
    yield { line: recordOf(text, schema) ?? null, text };
  }
}

export function parseLines<Schema extends z.ZodType>(bytes: Buffer, schema: Schema): z.infer<Schema>[] {
  const records: z.infer<Schema>[] = [];
  for (const line of linesOf(bytes)) {
    const record = recordOf(line.toString("utf8"), schema);
    if (record !== undefined) records.push(record);
  }
  return records;
}

function recordOf<Schema extends z.ZodType>(text: string, schema: Schema): z.infer<Schema> | undefined {
  const value = parseLine(text, maxOwnJsonDepth);
  return value === undefined ? undefined : schema.safeParse(value).data;
}

/** The whole lines, each without its LF. */
export function* linesOf(bytes: Buffer): Generator<Buffer> {
  for (let from = 0; ; ) {
    const to = bytes.indexOf(10, from);
    if (to < 0) return;
    yield bytes.subarray(from, to);
    from = to + 1;
  }
}
