/** A search that a provider made, in a line for people. Pure. */
import type { EventBody } from "../../protocol/runs/event.ts";

export function searchText({ queries, error }: EventBody): string {
  const texts = Array.isArray(queries) ? queries.map(String) : [];
  const failed = typeof error === "string" ? ` (${error})` : "";
  return `searched the web${texts.length > 0 ? `: ${texts.join(", ")}` : ""}${failed}`;
}
