/** The last wake-ups of agents by the clock, `.state/wakings.json`: the time in ms by uid. */
import { z } from "zod";
import { readDocument } from "../../files/json-document.ts";
import { state } from "../config/paths.ts";
import { replaceFile } from "../../files/writing/replace-file.ts";

const WakeUps = z.record(z.string(), z.number().int());
export type WakeUps = z.infer<typeof WakeUps>;

const wakeUpsFile = (journal: string) => state(journal, "wakings.json");

/** Empty where nothing is known: then no missed wake-up is caught up. */
export function readWakeUps(journal: string): WakeUps {
  return readDocument(wakeUpsFile(journal), WakeUps) ?? {};
}

export const writeWakeUps = (journal: string, wakeUps: WakeUps) =>
  replaceFile(wakeUpsFile(journal), `${JSON.stringify(wakeUps)}\n`);
