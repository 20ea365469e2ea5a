/** Secrets of this machine and journal that a run may have come upon: tokens, passwords of the bus, keys in the environment, and what settings name. */
import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { readBusAccess } from "../../../journal/access/endpoints.ts";
import { readWebToken } from "../../../journal/access/token-file.ts";
import { commandsToken } from "../../../journal/access/tokens.ts";
import { isSecretName } from "../../../protocol/guards/secrets.ts";
import { isRecord } from "../../../protocol/json/json-object.ts";
import type { Settings } from "../../../protocol/settings/settings.ts";

/** A file with a secret is no larger, in bytes. */
const mostFile = 16_384;

export async function knownSecrets(journal: string, settings: Settings, env: NodeJS.ProcessEnv): Promise<string[]> {
  const ofEnvironment = Object.entries(env).flatMap(([name, value = ""]) => (isSecretName(name) ? [value] : []));
  const tokens = [await readWebToken(journal), await commandsToken(journal)].filter((token) => token !== null);
  const passwords = Object.values(readBusAccess(journal)?.passwords ?? {});
  // Whatever a receiver of telemetry calls the header of its key, with its scheme and without.
  const headers = Object.values(settings.telemetry?.headers ?? {});
  const ofHeaders = headers.flatMap((value) => [value, ...value.split(/\s+/)]);
  return [...ofEnvironment, ...tokens, ...passwords, ...ofHeaders, ...secretsIn(settings, journal)];
}

/** Values under the names of secrets, and contents of files that fields such as `token_file` name. */
function secretsIn(value: unknown, journal: string): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => secretsIn(item, journal));
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, field]) => {
    if (typeof field !== "string") return secretsIn(field, journal);
    if (name.endsWith("_file")) return contentOf(resolve(journal, field));
    return isSecretName(name) ? [field] : [];
  });
}

function contentOf(path: string): string[] {
  try {
    const stats = statSync(path);
    return stats.isFile() && stats.size <= mostFile ? [readFileSync(path, "utf8").trim()] : [];
  } catch {
    return [];
  }
}
