/** The search index as a database. The files are the truth. */
import type { DatabaseSync } from "node:sqlite";
import { createRebuildable, type DatabaseKind, openRebuildable } from "../../files/rebuildable-database.ts";

const searchIndex: DatabaseKind = {
  // Also higher whenever the way files are cut into pieces, or texts into words, changes.
  version: 2,
  tables: ["files", "pieces", "words", "long_words", "word_parts"],
  schema: `
    CREATE TABLE files (
      id INTEGER PRIMARY KEY,
      path TEXT NOT NULL,
      day TEXT,
      facet TEXT,
      stamp TEXT  -- null while its pieces are being written: it isn't found until all are there
    );
    CREATE TABLE pieces (id INTEGER PRIMARY KEY, file INTEGER NOT NULL, line INTEGER NOT NULL);
    CREATE INDEX pieces_of_file ON pieces (file);
    -- Marks belong to their letters: Thai and Hindi write vowels with them.
    CREATE VIRTUAL TABLE words USING fts5 (
      body, heading, tokenize = "porter unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
    );
    -- Each long word once, and what it is made of. A word of which no piece is left finds nothing.
    CREATE TABLE long_words (id INTEGER PRIMARY KEY, word TEXT NOT NULL UNIQUE);
    CREATE VIRTUAL TABLE word_parts USING fts5 (
      word, content = '', columnsize = 0, tokenize = 'trigram remove_diacritics 1'
    );
  `,
};

/** Opens the index, and makes an empty one where there is none, an older one, or one that is broken, which is told. */
export const openDatabase = (path: string, onBroken: (error: unknown) => void): DatabaseSync =>
  openRebuildable(path, searchIndex, onBroken);

/** Throws the index away and makes an empty one. */
export const createDatabase = (path: string): DatabaseSync => createRebuildable(path, searchIndex);
