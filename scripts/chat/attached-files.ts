/** Files that go with the next message: attached by `/attach`, or by a path that was pasted or dropped. */
import { existsSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { fileURLToPath } from "node:url";
import type { Attachment } from "../../protocol/agents/channel.ts";
import { storeFile } from "../command/store-attachments.ts";

export class AttachedFiles {
  readonly #journal: string;
  #waiting: Attachment[] = [];

  constructor(journal: string) {
    this.#journal = journal;
  }

  /** Stores a file. Resolves with what to tell of it. @throws AttachmentError */
  async attach(path: string): Promise<string> {
    const { id, name, mime, size } = await storeFile(this.#journal, path);
    this.#waiting.push({ id, name, mime, size });
    return `attached ${name} (${mime}, ${size} bytes): it goes with your next message`;
  }

  /** Takes all that wait, for the message that they go with. */
  takeFiles(): Attachment[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    return waiting;
  }

  /** Puts back those of a message that wasn't sent: they go with the next. */
  putBack(files: readonly Attachment[]): void {
    this.#waiting.unshift(...files);
  }
}

/** A path as it is typed: without its quotes, or its escapes, and `~/` is the home. */
export function typedPath(text: string): string {
  const line = text.trim();
  const bare = /^'([^']+)'$/.exec(line)?.[1] ?? /^"([^"]+)"$/.exec(line)?.[1] ?? line.replaceAll(/\\(.)/g, "$1");
  return bare.replace(/^~(?=\/)/, homedir());
}

/** The file that a whole line names, as terminals paste a dropped one: quoted, with escapes, or as an address. Null: none. */
export function pastedFile(text: string): string | null {
  const line = text.trim();
  if (line.length > 4096 || line.includes("\n")) return null;
  const bare = typedPath(line);
  if (!/^(\/|file:\/\/\/)/.test(bare)) return null;
  const path = bare.startsWith("file:") ? pathOf(bare) : bare;
  return path !== null && existsSync(path) && statSync(path).isFile() ? path : null;
}

function pathOf(address: string): string | null {
  try {
    return fileURLToPath(address);
  } catch {
    return null;
  }
}
