/** The users who were paired as owners, `.state/owners.json`: `<type>:<userId>` each. */
import { readFileSync } from "node:fs";
import { z } from "zod";
import { hasCode } from "../../files/errors/errno.ts";
import { state } from "../config/paths.ts";
import { replaceFile } from "../../files/writing/replace-file.ts";
import { parseOwnJson } from "../../protocol/json/parse-json.ts";

const Owners = z.object({ owners: z.array(z.string()) });
const ownersFile = (journal: string) => state(journal, "owners.json");

/** @throws Error when the file is there and can't be read: nobody is let in, or shut out, by a broken file */
export function readOwners(journal: string): string[] {
  let text: string;
  try {
    text = readFileSync(ownersFile(journal), "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return [];
    throw error;
  }
  return Owners.parse(parseOwnJson(text)).owners;
}

export const writeOwners = (journal: string, owners: readonly string[]) =>
  replaceFile(ownersFile(journal), `${JSON.stringify({ owners }, null, 2)}\n`);
