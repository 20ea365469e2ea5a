/** An OpenClaw workspace as a folder of somebody else's: nothing is read through a link, nothing without a bound, and what isn't read is told. */
import { type Dirent, lstatSync, opendirSync, realpathSync } from "node:fs";
import { basename, join } from "node:path";
import { messageOf } from "../../../files/errors/error-message.ts";
import { inside } from "../../../journal/config/paths.ts";
import { readWhole } from "../../../journal/editing/facet-file.ts";

/** A file or folder that isn't carried over, and why. */
export type LeftOut = { from: string; why: string };

/** Entries of a folder that are looked at: nobody keeps more by hand. */
const maxEntries = 5000;
/** How deep OpenClaw looks for skills. */
const maxDepth = 6;

/** A name that is safe as a path of the memory, on every file system and on a terminal. */
const plainName = /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,90}$/u;

export class SourceFolder {
  /** Its real path. */
  readonly root: string;
  readonly leftOut: LeftOut[] = [];

  constructor(path: string) {
    this.root = realpathSync(path);
  }

  leave(from: string, why: string): void {
    if (!this.leftOut.some((one) => one.from === from)) this.leftOut.push({ from, why });
  }

  /** Whether something of that name is there, whatever it is. */
  has(path: string): boolean {
    return lstatSync(join(this.root, path), { throwIfNoEntry: false }) !== undefined;
  }

  /** Text of a file without front matter. Null: there is none, it is blank, or it was left out. */
  text(path: string, maxBytes: number): string | null {
    if (!this.has(path)) return null;
    try {
      const text = this.#read(path, maxBytes);
      if (text.trim() !== "") return text;
      this.leave(path, "it is empty");
    } catch (error) {
      this.leave(path, messageOf(error));
    }
    return null;
  }

  /** Entries of a folder by name. None where there is no such folder, or it is a link. */
  entries(path: string): Dirent[] {
    const stats = lstatSync(join(this.root, path), { throwIfNoEntry: false });
    if (!stats) return [];
    if (!stats.isDirectory()) {
      this.leave(
        path,
        stats.isSymbolicLink() ? "it is a link, which may lead out of the folder" : "it is not a folder",
      );
      return [];
    }
    const found: Dirent[] = [];
    using folder = opendirSync(join(this.root, path));
    for (let entry = folder.readSync(); entry; entry = folder.readSync()) {
      if (found.length === maxEntries) {
        this.leave(path, `it has more than ${maxEntries} entries: the rest wasn't looked at`);
        break;
      }
      found.push(entry);
    }
    return found.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Paths of the Markdown files below a folder. Whatever else is there is left out. */
  markdownBelow(path: string, depth = 1): string[] {
    return this.entries(path).flatMap((entry) => {
      const at = `${path}/${entry.name}`;
      if (!plainName.test(entry.name)) this.leave(at, "its name can't be used in the memory");
      else if (entry.isDirectory() && depth < maxDepth) return this.markdownBelow(at, depth + 1);
      else if (entry.isSymbolicLink()) this.leave(at, "it is a link, which may lead out of the folder");
      else if (entry.isFile() && entry.name.endsWith(".md")) return [at];
      else this.leave(at, "only Markdown files are carried into the memory");
      return [];
    });
  }

  /** Folders below a folder that hold a skill. Nothing below one of them is looked at. */
  skillsBelow(path: string, depth = 0): string[] {
    const entries = this.entries(path);
    if (entries.some(({ name }) => name === "SKILL.md")) return [path];
    return entries.flatMap((entry) => {
      const at = `${path}/${entry.name}`;
      if (entry.isDirectory() && !entry.name.startsWith(".") && depth < maxDepth)
        return this.skillsBelow(at, depth + 1);
      if (depth === 0 && entry.name !== "README.md") this.leave(at, "it is not the folder of a skill");
      return [];
    });
  }

  #read(path: string, maxBytes: number): string {
    let real: string;
    try {
      real = inside(this.root, path);
    } catch (error) {
      throw new Error("it leads out of the folder, or nowhere", { cause: error });
    }
    if (real !== join(this.root, path)) throw new Error("it is a link, or behind one");
    const bytes = readWhole({ journal: this.root, path: basename(path), real })?.bytes;
    if (!bytes) throw new Error("it is gone");
    if (bytes.length > maxBytes) throw new Error(`it has ${bytes.length} bytes: at most ${maxBytes} are taken`);
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.replaceAll("\r\n", "\n");
  }
}

/** Markdown without the lines between two `---` that it may begin with. */
export function withoutFrontMatter(text: string): string {
  const [head] = /^---\n[\s\S]*?\n---[ \t]*(?:\n|$)/.exec(text) ?? [""];
  return text.slice(head.length).trim();
}
