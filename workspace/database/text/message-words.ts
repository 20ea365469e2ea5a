/**
 * The words of messages, by which they are found. What a word is, is decided here, so that each database finds the same; each has
 * an index of its own kind. Rows are only added: of a message that was written anew, the words of before stay among its own, so
 * whoever finds it looks whether it still has them.
 */
import { type Kysely, type RawBuilder, sql } from "kysely";
import { wordsWithin } from "../../../protocol/words/stop-words.ts";
import { isPostgres } from "../dialects/dialect-of.ts";
import type { MessageTable, Tables } from "../tables/tables.ts";

/** Characters of a message that are found: more than anything that somebody types. */
const longestText = 100_000;
/** Longer than any word that is looked for. */
const longestWord = 64;
/** PostgreSQL takes a megabyte of words in a row. */
const mostBytes = 400_000;

/** Letters and digits, in lower case, each word once; a script without blanks is cut into words as its readers see them. */
export function wordsIn(text: string): string[] {
  const runs =
    text
      .slice(0, longestText)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  const words = new Set(runs.flatMap(wordsWithin).map((word) => word.slice(0, longestWord).toWellFormed()));
  let bytes = 0;
  return [...words].filter((word) => (bytes += Buffer.byteLength(word)) <= mostBytes);
}

type WrittenMessage = Pick<MessageTable, "id" | "workspace_id" | "thread_id" | "author_type" | "text">;

/** Lets messages be found. What the workspace itself says isn't looked for. */
export async function addWords(
  tables: Pick<Kysely<Tables>, "insertInto" | "getExecutor">,
  messages: readonly WrittenMessage[],
): Promise<void> {
  const rows = messages.flatMap(({ id: message_id, workspace_id, thread_id, author_type, text }) => {
    const words = author_type === "system" ? [] : wordsIn(text);
    return words.length > 0 ? [{ message_id, workspace_id, thread_id, words }] : [];
  });
  if (rows.length === 0) return;
  const stored: (words: string[]) => RawBuilder<string> = isPostgres(tables)
    ? (words) => sql`array_to_tsvector(${words}::text[])`
    : (words) => sql`${words.join(" ")}`;
  await tables
    .insertInto("message_words")
    .values(rows.map((row) => ({ ...row, words: stored(row.words) })))
    .execute();
}

export type WordSearch = {
  workspaceId: string;
  /** The thread whose messages aren't looked for. */
  exceptThread: string;
  /** Letters and digits in lower case: the beginnings of what is found. */
  words: readonly string[];
  wanted: "all" | "one";
  limit: number;
};

/** The ids of messages with all of some words, or one: those that were written last. */
export async function messagesWithWords(
  tables: Pick<Kysely<Tables>, "selectFrom" | "getExecutor">,
  { workspaceId, exceptThread, words, wanted, limit }: WordSearch,
): Promise<string[]> {
  const [each, last] = isPostgres(tables)
    ? [wanted === "all" ? " & " : " | ", sql`number`]
    : [wanted === "all" ? " AND " : " OR ", sql`rowid`];
  const isFound = isPostgres(tables)
    ? sql<boolean>`words @@ ${words.map((word) => `'${word}':*`).join(each)}::tsquery`
    : sql<boolean>`message_words MATCH ${words.map((word) => `"${word}"*`).join(each)}`;
  const rows = await tables
    .selectFrom("message_words")
    .select("message_id")
    .where(isFound)
    .where("workspace_id", "=", workspaceId)
    .where("thread_id", "!=", exceptThread)
    .orderBy(last, "desc")
    .limit(limit)
    .execute();
  return rows.map(({ message_id }) => message_id);
}
