/** A text of the journal as it is edited: a skill, or a file of the memory. */
import { GuardedEdit } from "./guarded-edit.ts";

/** `version` null: there is none yet. */
export type Note = { text: string; version: string | null };

export type NoteDeps = {
  /** The key of what the draft belongs to. */
  place: string;
  read: () => Promise<Note>;
  /** @throws ApiError with 409 for another version than the one that stands there */
  write: (note: Note) => Promise<Note>;
};

export class NoteEdit extends GuardedEdit<Note, string> {
  constructor({ place, read, write }: NoteDeps) {
    super({
      place,
      ask: read,
      write: ({ version, mine }) => write({ text: mine, version }),
      versionOf: ({ version }) => version,
      contentOf: ({ text }) => text,
      empty: "",
      isContent: (value) => typeof value === "string",
      isSame: (one, other) => one === other,
      rebase: (mine) => mine,
    });
  }
}
