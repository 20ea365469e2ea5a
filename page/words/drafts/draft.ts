/** The unsaved changes of what somebody edits, as a draft that outlives a reload. Pure. */
import { isRecord, jsonAs } from "../json/read-json.ts";

/** `base`: what was read before it was changed, and the version that it is; null: there was none yet. */
export type Draft<Content> = { version: string | null; base: Content; mine: Content };

/** Null: nothing is unsaved, or what was kept is none of ours. */
export function readDraft<Content>(text: string, isContent: (value: unknown) => value is Content) {
  return jsonAs(
    text,
    (value: unknown): value is Draft<Content> =>
      isRecord(value) &&
      (value["version"] === null || typeof value["version"] === "string") &&
      isContent(value["base"]) &&
      isContent(value["mine"]),
  );
}
