/** The line that one reads in a long list, kept for each list over reloads of the page. */
import { isRecord, jsonAs } from "../../words/json/read-json.ts";

/** A row by its id, and how far its upper edge is below that of the list, in px. */
export type ScrollAnchor = { row: string; top: number };

const prefix = "scroll ";

/** Null: it is the end. */
export function readAnchor(place: string): ScrollAnchor | null {
  try {
    return jsonAs(sessionStorage.getItem(prefix + place) ?? "", isAnchor);
  } catch {
    return null;
  }
}

/** A browser that keeps nothing begins at the end. */
export function keepAnchor(place: string, anchor: ScrollAnchor | null): void {
  try {
    if (anchor === null) sessionStorage.removeItem(prefix + place);
    else sessionStorage.setItem(prefix + place, JSON.stringify(anchor));
  } catch {}
}

const isAnchor = (value: unknown): value is ScrollAnchor =>
  isRecord(value) && typeof value["row"] === "string" && typeof value["top"] === "number";
