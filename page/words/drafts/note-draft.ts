/** The unsaved changes of a text, with what was read before. Pure. */
import { isRecord, jsonAs } from "../json/read-json.ts";

export type NoteDraft = { version: string | null; base: string; text: string };

export const readNoteDraft = (text: string): NoteDraft | null => jsonAs(text, isDraft);

const isDraft = (value: unknown): value is NoteDraft =>
  isRecord(value) &&
  (value["version"] === null || typeof value["version"] === "string") &&
  typeof value["base"] === "string" &&
  typeof value["text"] === "string";
