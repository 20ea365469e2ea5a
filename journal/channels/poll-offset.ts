/** How far an adapter that asks for news has come, `.state/channels/<type>-offset.json`. */
import { z } from "zod";
import { readDocument } from "../../files/json-document.ts";
import { state } from "../config/paths.ts";
import { replaceFile } from "../../files/writing/replace-file.ts";

const PollOffset = z.object({
  /** The account that it belongs to: another one counts on its own. */
  account: z.string(),
  offset: z.number().int().nonnegative(),
  /** When that was, in ms. */
  ts: z.number(),
});

const offsetFile = (journal: string, type: string) => state(journal, "channels", `${type}-offset.json`);

/** The first that wasn't taken yet, and when that was noted; undefined: nothing is known of this account. */
export async function readPollOffset(
  journal: string,
  type: string,
  account: string,
): Promise<{ offset: number; ts: number } | undefined> {
  const noted = readDocument(offsetFile(journal, type), PollOffset);
  return noted?.account === account ? noted : undefined;
}

/** Resolves when it is on the disk. */
export const writePollOffset = (journal: string, type: string, noted: z.infer<typeof PollOffset>) =>
  replaceFile(offsetFile(journal, type), `${JSON.stringify(noted)}\n`);
