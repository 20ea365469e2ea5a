/** How far the program `telemetry` has come, and what it is sending, `.state/telemetry.json`: replaced as a whole. */
import { existsSync } from "node:fs";
import type { z } from "zod";
import { readDocument } from "../../files/json-document.ts";
import { replaceFile } from "../../files/writing/replace-file.ts";
import { state } from "../config/paths.ts";

const stateFile = (journal: string) => state(journal, "telemetry.json");

/** Reads it; null where there is none, or none that fits. */
export const readTelemetryState = <Schema extends z.ZodType>(journal: string, schema: Schema) =>
  readDocument(stateFile(journal), schema);

/** Whether there is one, be it readable or not. */
export const hasTelemetryState = (journal: string): boolean => existsSync(stateFile(journal));

export const writeTelemetryState = (journal: string, kept: unknown): Promise<void> =>
  replaceFile(stateFile(journal), JSON.stringify(kept));
