/** The input of a request, checked by the schemas of its operation. */
import { z } from "zod";
import { issueTexts } from "../../../protocol/words/issues.ts";
import { WorkspaceError } from "../../../workspace/records/workspace-error.ts";

const Id = z.uuid();

/** Whether it could be the id of anything. What can't be is not there. */
export const isId = (text: string): boolean => Id.safeParse(text).success;

/** @throws WorkspaceError `invalid`, which names each field that is wrong */
export function checked(schema: z.ZodType | undefined, value: unknown): unknown {
  if (!schema) return undefined;
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new WorkspaceError("invalid", issueTexts(parsed.error, value).join("; "));
  requireStorable(value, "");
  return parsed.data;
}

/** PostgreSQL takes no NUL in a text, and neither database half a character: what can't be kept as it is, is refused. */
function requireStorable(value: unknown, field: string): void {
  if (typeof value === "string" && (value.includes("\0") || !value.isWellFormed()))
    throw new WorkspaceError("invalid", `${field}: expected text without NUL and without halves of characters`);
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    const at = field === "" ? key : `${field}.${key}`;
    requireStorable(key, at);
    requireStorable(inner, at);
  }
}
