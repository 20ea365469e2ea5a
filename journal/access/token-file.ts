/** A token in a file of `.run/`, random from the first start on, for whoever may read that file. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { hasCode } from "../../files/errors/errno.ts";
import { runtime } from "../config/paths.ts";
import { replaceFile } from "../../files/writing/replace-file.ts";

/** 32 random bytes in base64url. */
export const tokenPattern = /^[A-Za-z0-9_-]{43}$/;

export function newToken(): string {
  return randomBytes(32).toString("base64url");
}

/** Whether it is the token. Takes the same time for every wrong one. */
export function isToken(token: string, sent: string): boolean {
  return timingSafeEqual(sha256(token), sha256(sent));
}

/** With it people reach the web channel. Made at the first call. */
export const webToken = (journal: string) => keptToken(webTokenFile(journal));

/** The same, or null where there is none yet. */
export const readWebToken = (journal: string) => readKeptToken(webTokenFile(journal));

/** The key that signs what the tool server gives its clients to keep: the same over a restart. Made at the first call. */
export const keptStateKey = (journal: string) => keptToken(runtime(journal, "kept-state-key"));

/** The secret by which a service shows at our webhook that it is itself. Made at the first call. */
export const webhookSecret = (journal: string, type: string) => keptToken(runtime(journal, `${type}-webhook-secret`));

const webTokenFile = (journal: string) => runtime(journal, "web-token");

/** The token of a file. Made at the first call. */
export async function keptToken(file: string): Promise<string> {
  const found = await readKeptToken(file);
  if (found !== null) return found;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${randomBytes(6).toString("hex")}.tmp`;
  await writeFile(temporary, `${newToken()}\n`, { mode: 0o600, flag: "wx" });
  try {
    // Linked, not renamed: of two that make it at once, both end with the first one's.
    await link(temporary, file);
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
    // There, and still no token in it: it was damaged.
    if ((await readKeptToken(file)) === null) await replaceFile(file, await readFile(temporary, "utf8"));
  } finally {
    await rm(temporary, { force: true });
  }
  const made = await readKeptToken(file);
  if (made === null) throw new Error(`"${file}" holds no token: delete the file, and the next start writes a new one`);
  return made;
}

/** The token of a file, or null where there is none. */
export async function readKeptToken(file: string): Promise<string | null> {
  try {
    const token = (await readFile(file, "utf8")).trim();
    return tokenPattern.test(token) ? token : null;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  }
}

export function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
