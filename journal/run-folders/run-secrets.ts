/**
 * The documents of a run that outlast `.run/` while its chain hasn't ended: its secrets, for a later attempt, and what
 * it still hands on. One document each, `.state/secrets/<id>.<name>.json`, which its owner alone may read.
 */
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { namesIn } from "../../files/folder-entries.ts";
import { AgentId } from "../../protocol/names/names.ts";
import { state } from "../config/paths.ts";
import { replaceFile } from "../../files/writing/replace-file.ts";
import { parseOwnJson } from "../../protocol/json/parse-json.ts";

const folderOf = (journal: string) => state(journal, "secrets");
const fileOf = (journal: string, agentId: string, name: string) => join(folderOf(journal), `${agentId}.${name}.json`);

/** Keeps a document; on disk when it resolves. */
export async function keepSecret(journal: string, agentId: string, name: string, value: unknown): Promise<void> {
  mkdirSync(folderOf(journal), { recursive: true, mode: 0o700 });
  await replaceFile(fileOf(journal, agentId, name), JSON.stringify(value));
}

/** A document, or undefined. */
export function keptSecret(journal: string, agentId: string, name: string): unknown {
  try {
    return parseOwnJson(readFileSync(fileOf(journal, agentId, name), "utf8"));
  } catch {
    return undefined;
  }
}

/** The run's chain has gone on without it: nothing of it is needed any more. */
export function dropSecrets(journal: string, agentId: string): void {
  for (const name of namesIn(folderOf(journal)))
    if (name.startsWith(`${agentId}.`)) rmSync(join(folderOf(journal), name), { force: true });
}

/** The ids that have such documents. */
export function runsWithSecrets(journal: string): string[] {
  const ids = namesIn(folderOf(journal)).map((name) => name.split(".", 1)[0] ?? "");
  return [...new Set(ids)].filter((id) => AgentId.safeParse(id).success);
}
