/** The secret of a channel, such as a bot's token: from a file that its owner alone can read, or from a variable. Read at each start. */
import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";

/** More than any of them has. */
const maxBytes = 4096;

/** A secret that isn't there, or that others can read: what is wrong, and what to do. */
export class ChannelSecretError extends Error {
  override name = "ChannelSecretError";
}

/** Where the settings say that it is. `name` is that of the settings: `channels.telegram.token`. A password may have blanks. */
export type SecretPlace = {
  name: string;
  file: string | undefined;
  variable: string | undefined;
  mayHaveBlanks?: boolean;
};

/** @throws ChannelSecretError */
export function readChannelSecret(journal: string, env: NodeJS.ProcessEnv, place: SecretPlace): string {
  const { name, file, variable, mayHaveBlanks = false } = place;
  const checked = (text: string, from: string) => checkedSecret(text, from, mayHaveBlanks ? /[^\S ]/ : /\s/);
  if (file !== undefined && variable !== undefined)
    throw new ChannelSecretError(`expected one of ${name}_file and ${name}_env, not both`);
  if (file !== undefined) return checked(readSecretFile(resolve(journal, file), `${name}_file`), `${name}_file`);
  if (variable !== undefined) return checked(env[variable] ?? "", `${name}_env (${variable})`);
  throw new ChannelSecretError(`there is no ${name}: set ${name}_file or ${name}_env in cortex.json`);
}

function readSecretFile(path: string, name: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats?.isFile()) throw new ChannelSecretError(`${name}: ${path} is not a file`);
  if ((stats.mode & 0o077) !== 0)
    throw new ChannelSecretError(`${name}: ${path} can be read by others: chmod 600 ${path}`);
  if (stats.size > maxBytes) throw new ChannelSecretError(`${name}: expected at most ${maxBytes} bytes in ${path}`);
  return readFileSync(path, "utf8");
}

function checkedSecret(text: string, name: string, refused: RegExp): string {
  const secret = text.trim();
  if (secret === "" || secret === "undefined" || secret === "null" || refused.test(secret))
    throw new ChannelSecretError(
      `${name}: expected a secret on one line, got ${refused.test(secret) ? "one with white space" : "none"}`,
    );
  return secret;
}
