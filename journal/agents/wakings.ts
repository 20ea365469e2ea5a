/** When agents were woken by the clock last, `.state/wakings.json`: the time in ms by uid. */
import { z } from "zod";
import { readDocument } from "../../files/json-document.ts";
import { state } from "../config/paths.ts";
import { replaceFile } from "../../files/replace-file.ts";

const Wakings = z.record(z.string(), z.number().int());
export type Wakings = z.infer<typeof Wakings>;

const wakingsFile = (journal: string) => state(journal, "wakings.json");

/** None where nothing is known: then nothing is made up for. */
export function readWakings(journal: string): Wakings {
  return readDocument(wakingsFile(journal), Wakings) ?? {};
}

export const writeWakings = (journal: string, wakings: Wakings) =>
  replaceFile(wakingsFile(journal), `${JSON.stringify(wakings)}\n`);
