/** How far the mail channel has read its mailbox, `.state/channels/mail-place.json`. */
import { z } from "zod";
import { readDocument } from "../../files/json-document.ts";
import { replaceFile } from "../../files/writing/replace-file.ts";
import { state } from "../config/paths.ts";

const MailPlace = z.object({
  /** The mailbox that it belongs to: another one counts on its own. */
  account: z.string(),
  /** The server's counting: with another one, the numbers of mails mean nothing. */
  uidValidity: z.string(),
  /** The number of the last mail that was taken, or passed over. */
  uid: z.number().int().nonnegative(),
  /** Numbers up to that one which are still to be taken: found when the server began to count anew. */
  pending: z.array(z.number().int()).max(5000),
  /** When the last one arrived, in ms by the server's clock; 0: there was none. */
  arrived: z.number(),
  /** The latest that were taken, by their ids as messages, the oldest first. */
  recent: z.array(z.string()).max(1000),
});
export type MailPlace = z.infer<typeof MailPlace>;

const file = (journal: string) => state(journal, "channels", "mail-place.json");

/** Null: nothing is known of this mailbox. */
export function readMailPlace(journal: string, account: string): MailPlace | null {
  const place = readDocument(file(journal), MailPlace);
  return place?.account === account ? place : null;
}

/** Resolves when it is on the disk. */
export const writeMailPlace = (journal: string, place: MailPlace): Promise<void> =>
  replaceFile(file(journal), `${JSON.stringify(place)}\n`);
