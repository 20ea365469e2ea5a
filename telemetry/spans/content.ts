/** Words of people and models as attributes: cut where they are long, since receivers refuse what is too large. */
import { cutStrings } from "../../protocol/json/cut-strings.ts";

/** Characters of a text. */
const longestText = 32_768;

/** A text as it may stand in an attribute. */
export function contentText(value: unknown): string | undefined {
  return typeof value === "string" ? cutStrings(value, longestText).toWellFormed() : undefined;
}

/** Any value, as JSON. */
export function contentJson(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  const json = JSON.stringify(cutStrings(value, longestText)) as string | undefined;
  return json === undefined ? undefined : cutStrings(json, longestText).toWellFormed();
}

/** A message with one text, by the conventions' schema of messages. */
export const messageJson = (role: "user" | "assistant", content: string, finish?: string): string =>
  JSON.stringify([
    { role, parts: [{ type: "text", content }], ...(finish !== undefined && { finish_reason: finish }) },
  ]);
