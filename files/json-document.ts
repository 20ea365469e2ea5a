/** A JSON document of our own, in a file that is replaced as a whole (`replaceFile`), read with its schema. */
import { readFileSync } from "node:fs";
import type { z } from "zod";
import { parseOwnJson } from "../protocol/json/parse-json.ts";

/** The document in a file; null where there is none, or none that can be read or fits the schema. */
export function readDocument<Schema extends z.ZodType>(path: string, schema: Schema): z.output<Schema> | null {
  try {
    return schema.safeParse(parseOwnJson(readFileSync(path, "utf8"))).data ?? null;
  } catch {
    return null;
  }
}
