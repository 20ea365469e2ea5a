/**
 * What waits to be said to an agent, `inbox.jsonl`: a line for each item that was taken in, and one for those that are done.
 * Written anew when nothing waits and it has grown.
 */
import { z } from "zod";
import { InboxItem } from "../protocol/agent-files.ts";
import { inboxFile } from "./agent-files.ts";
import { LineFile } from "./line-file.ts";
import { readLines } from "./text-records.ts";

/** Grown longer than this it is written anew, once nothing waits. */
const renewedAtBytes = 256 * 1024;
/** So many of those that are done stay known: the same message may come again. */
const rememberedIds = 2000;

const Line = z.union([z.strictObject({ done: z.array(z.string()) }), InboxItem]);

export class AgentInbox implements Disposable {
  readonly #lines: LineFile;
  readonly #waiting = new Map<string, InboxItem>();
  /** In the order in which they were done. */
  readonly #done = new Set<string>();
  /** Lines that are no items. */
  readonly unreadable: string[] = [];

  /** Opens it for its one writer. */
  constructor(journal: string, id: string) {
    this.#lines = new LineFile(inboxFile(journal, id));
    for (const { line, text } of readLines(this.#lines.read(0, this.#lines.size), Line))
      if (line === null) this.unreadable.push(text);
      else if ("done" in line && !("id" in line)) this.#forget(line.done);
      else this.#waiting.set(line.id, line);
  }

  /** What waits, in the order in which it came. */
  get waiting(): InboxItem[] {
    return [...this.#waiting.values()];
  }

  isWaiting(id: string): boolean {
    return this.#waiting.has(id);
  }

  knows(id: string): boolean {
    return this.#waiting.has(id) || this.#done.has(id);
  }

  /** Whether it knows an item whose id begins so. */
  knowsAny(begin: string): boolean {
    return [...this.#waiting.keys(), ...this.#done].some((id) => id.startsWith(begin));
  }

  /** Takes an item in. Resolves when it lasts, with whether it was new. */
  async add(item: InboxItem): Promise<boolean> {
    if (this.knows(item.id)) {
      await this.#lines.lasts(); // the first one may yet be on its way
      return false;
    }
    this.#waiting.set(item.id, item);
    try {
      await this.#lines.append([item]);
    } catch (error) {
      this.#waiting.delete(item.id); // when it comes again, it is new
      throw error;
    }
    return true;
  }

  /** These are done. Resolves when that lasts. */
  async settle(ids: readonly string[]): Promise<void> {
    const done = ids.filter((id) => this.#waiting.has(id));
    if (done.length === 0) return;
    await this.#lines.append([{ done }]);
    this.#forget(done);
    if (this.#waiting.size === 0 && this.#lines.size > renewedAtBytes) await this.renew();
  }

  /** Writes it anew, without the lines that say nothing. */
  async renew(): Promise<void> {
    await this.#lines.rewrite(() => [{ done: [...this.#done] }, ...this.#waiting.values()]);
    this.unreadable.length = 0;
  }

  #forget(ids: readonly string[]): void {
    for (const id of ids) {
      this.#waiting.delete(id);
      this.#done.add(id);
    }
    for (const id of this.#done) {
      if (this.#done.size <= rememberedIds) return;
      this.#done.delete(id);
    }
  }

  [Symbol.dispose](): void {
    this.#lines[Symbol.dispose]();
  }
}
