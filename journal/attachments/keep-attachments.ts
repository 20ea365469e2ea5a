/** Stored files that something outside of the journal's files names, such as messages in a database: retention keeps them. */
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { appendText } from "../../files/writing/append-whole.ts";
import { state } from "../config/paths.ts";

const listOf = (journal: string) => state(journal, "kept-attachments.jsonl");

/** To be called before they are named, so that no sweep comes in between. */
export async function keepAttachments(journal: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const path = listOf(journal);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await appendText(path, `${JSON.stringify(ids)}\n`, 0o600);
}
