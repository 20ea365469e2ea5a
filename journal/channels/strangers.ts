/** The usage by strangers lately, `.state/strangers.json`, so that a restart forgives nobody. */
import { z } from "zod";
import { readDocument } from "../../files/json-document.ts";
import { state } from "../config/paths.ts";
import { replaceFile } from "../../files/writing/replace-file.ts";

/** A stranger's own count. Times are in ms. */
const Stranger = z.object({
  /** When the hour began in which so many messages came. */
  since: z.number().int(),
  messages: z.number().int(),
  /** Until when it knows that it has to wait. */
  told_until: z.number().int().optional(),
});
export type Stranger = z.infer<typeof Stranger>;

const StrangersBook = z.object({
  /** By `<type>:<userId>`. */
  people: z.record(z.string(), Stranger),
  /** The usage of all together, counted as each one's. */
  all: Stranger,
  /** How many came for the first time on this day. */
  new: z.object({ day: z.string(), count: z.number().int() }),
  /** How many notices went out in the hour that began then. */
  notices: z.object({ since: z.number().int(), count: z.number().int() }),
});
export type StrangersBook = z.infer<typeof StrangersBook>;

const file = (journal: string) => state(journal, "strangers.json");

export const emptyBook = (): StrangersBook => ({
  people: {},
  all: { since: 0, messages: 0 },
  new: { day: "", count: 0 },
  notices: { since: 0, count: 0 },
});

/** An empty one where there is none, or none that can be read. */
export function readStrangers(journal: string): StrangersBook {
  return readDocument(file(journal), StrangersBook) ?? emptyBook();
}

export const writeStrangers = (journal: string, book: StrangersBook) =>
  replaceFile(file(journal), `${JSON.stringify(book)}\n`);
