/** Other ways to make words of texts, which search is compared with: how it was done before, and what else was tried. */
import { rmSync, statSync } from "node:fs";
import { DatabaseSync, type StatementSync } from "node:sqlite";

type Way = {
  tokenize: string;
  /** A text as it is indexed. */
  indexed: (text: string) => string;
  /** A word as it is looked for. */
  term: (word: string) => string;
};

const spaceless = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const segmenter = new Intl.Segmenter(undefined, { granularity: "word" });
const segments = (text: string) => Array.from(segmenter.segment(text), ({ segment }) => segment).join("\u0003");
const prefixed = (word: string) => (word.length >= 4 ? `("${word}" OR "${word}"*)` : `"${word}"`);

export const ways = {
  "the words of unicode61, as before": {
    tokenize: "porter unicode61 remove_diacritics 2",
    indexed: (text) => text,
    term: prefixed,
  },
  "Intl.Segmenter at indexing": {
    tokenize: "porter unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'",
    indexed: (text) => (spaceless.test(text) ? segments(text) : text),
    term: (word) => (spaceless.test(word) ? `"${segments(word)}"*` : prefixed(word)),
  },
  trigrams: { tokenize: "trigram remove_diacritics 1", indexed: (text) => text, term: (word) => `"${word}"` },
} satisfies Record<string, Way>;

/** An index made in such a way. */
export class OtherSearch implements Disposable {
  readonly #path: string;
  readonly #way: Way;
  readonly #database: DatabaseSync;
  readonly #rank: StatementSync;
  readonly #marked: StatementSync;

  constructor(path: string, way: Way) {
    this.#path = path;
    this.#way = way;
    this.#database = new DatabaseSync(path);
    this.#database.exec(`
      PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
      CREATE VIRTUAL TABLE words USING fts5 (body, heading, tokenize = "${way.tokenize}");
    `);
    const [rank, hit] = ["ORDER BY bm25(words, 1.0, 0.2) LIMIT 10", "AND rowid = ?"];
    this.#rank = this.#database.prepare(`SELECT rowid FROM words WHERE words MATCH ? ${rank}`);
    this.#marked = this.#database.prepare(`SELECT highlight(words, 0, '[', ']') FROM words WHERE words MATCH ? ${hit}`);
  }

  fill(passages: Iterable<string>, heading: string): void {
    const add = this.#database.prepare("INSERT INTO words (body, heading) VALUES (?, ?)");
    this.#database.exec("BEGIN");
    for (const passage of passages) add.run(this.#way.indexed(passage), heading);
    this.#database.exec("COMMIT");
  }

  /** How many hits there are, at most ten, each with its words marked. */
  search(question: string): number {
    const words = question.split(" ").map(this.#way.term);
    const found = new Map<number, string>();
    for (const expression of new Set([words.join(" AND "), words.join(" OR ")]))
      for (const { rowid } of this.#rank.all(expression))
        if (found.size < 10 && !found.has(Number(rowid))) found.set(Number(rowid), expression);
    for (const [rowid, expression] of found) this.#marked.get(expression, BigInt(rowid));
    return found.size;
  }

  /** How many passages are found by a word. */
  count(word: string): number {
    const counted = this.#database.prepare("SELECT count(*) AS n FROM words WHERE words MATCH ?");
    return Number(counted.get(this.#way.term(word))?.["n"]);
  }

  /** In MiB. */
  size(): number {
    this.#database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    return statSync(this.#path).size / 2 ** 20;
  }

  [Symbol.dispose](): void {
    this.#database.close();
    rmSync(this.#path);
  }
}
