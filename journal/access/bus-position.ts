/** How far the bus had come when cortex looked last, `.state/bus-position.json`. */
import { readFileSync, statSync } from "node:fs";
import { state } from "../config/paths.ts";
import { replaceFile } from "../../files/writing/replace-file.ts";
import { parseOwnJson } from "../../protocol/json/parse-json.ts";

const positionFile = (journal: string) => state(journal, "bus-position.json");

export const writeBusPosition = (journal: string, position: unknown) =>
  replaceFile(positionFile(journal), JSON.stringify(position));

/** Reads the position that was written last, as it stands; undefined when there is nothing that can be read. */
export function readBusPosition(journal: string): unknown {
  try {
    return parseOwnJson(readFileSync(positionFile(journal), "utf8"));
  } catch {
    return undefined;
  }
}

/** When that was; undefined when nothing was written. */
export const positionRecordedAt = (journal: string) =>
  statSync(positionFile(journal), { throwIfNoEntry: false })?.mtimeMs;
