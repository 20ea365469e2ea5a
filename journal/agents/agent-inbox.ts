/**
 * The inbox of an agent, `inbox.jsonl`: a line for each item that was taken in, and one for those that are done.
 * Written anew when it has grown and most of it is done.
 */
import { bytesAt } from "../../files/bytes-at.ts";
import { z } from "zod";
import { InboxItem } from "../../protocol/agents/agent-files.ts";
import { inboxFile } from "./agent-files.ts";
import { SerialQueue } from "../../files/locks/serial-queue.ts";
import { LineFile } from "../../files/writing/line-file.ts";
import { readLines } from "../../files/lines/text-records.ts";

/** Grown longer than this, and than so many times what waits, it is written anew: so it stays short where something always waits. */
const renewedAtBytes = 256 * 1024;
const renewedAtTimes = 4;
/** So many of those that are done stay known: the same message may come again. */
const rememberedIds = 2000;

const Line = z.union([z.strictObject({ done: z.array(z.string()) }), InboxItem]);

/** How much waits. */
export type InboxLoad = { items: number; bytes: number };

export class AgentInbox implements Disposable {
  readonly #lines: LineFile;
  readonly #waiting = new Map<string, InboxItem>();
  /** How much of it came from each type of channel. */
  readonly #loads = new Map<string, InboxLoad>();
  /** In the order in which they were done. */
  readonly #done = new Set<string>();
  readonly #edits = new SerialQueue();
  /** Lines that are no items. */
  readonly unreadable: string[] = [];

  /** Opens it for its one writer. */
  constructor(journal: string, id: string) {
    this.#lines = new LineFile(inboxFile(journal, id));
    for (const { line, text } of readLines(this.#lines.read(0, this.#lines.size), Line))
      if (line === null) this.unreadable.push(text);
      else if ("done" in line && !("id" in line)) this.#forgetItems(line.done);
      else this.#keep(line);
  }

  /** The items that wait, in the order in which they came. */
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

  /** How much of what waits came from a type of channel. */
  waitingFrom(type: string): InboxLoad {
    return this.#loads.get(type) ?? { items: 0, bytes: 0 };
  }

  /** Takes an item in. Resolves when it lasts, with whether it was new. */
  async add(item: InboxItem): Promise<boolean> {
    if (this.knows(item.id)) {
      await this.#lines.lasts(); // the first one may yet be on its way
      return false;
    }
    this.#keep(item);
    try {
      await this.#lines.append([item]);
    } catch (error) {
      this.#drop(item.id); // when it comes again, it is new
      throw error;
    }
    return true;
  }

  /** Keeps an item that waits with other fields, at its place. Resolves, when that lasts, with whether it still waited. */
  async change(item: InboxItem): Promise<boolean> {
    if (!this.isWaiting(item.id)) return false;
    await this.#lines.append([item]);
    if (!this.isWaiting(item.id)) {
      // It was done meanwhile: its line says so no more.
      await this.#lines.append([{ done: [item.id] }]);
      return false;
    }
    this.#keep(item);
    return true;
  }

  /**
   * Keeps what an item that waits says after an edit, at its place. Whoever takes it up has the new text at once; resolves, when
   * it lasts, with whether it still waited.
   */
  async edit(item: InboxItem): Promise<boolean> {
    const before = this.#waiting.get(item.id);
    if (!before) return false;
    this.#keep(item);
    try {
      await this.#edits.run(() => this.#lines.append([item]));
    } catch (error) {
      if (this.#waiting.get(item.id) === item) this.#keep(before); // when it comes again, it is new
      throw error;
    }
    return true;
  }

  /** Resolves when the edits that it has taken last. */
  async editsLast(): Promise<void> {
    await this.#edits.idle();
  }

  /** Whether an item waits and says what this one says: no edit came meanwhile. */
  isCurrent({ id, edited_by }: InboxItem): boolean {
    const now = this.#waiting.get(id);
    return now !== undefined && now.edited_by?.length === edited_by?.length;
  }

  /** These are done. Resolves when that lasts. */
  async settleItems(ids: readonly string[]): Promise<void> {
    const done = ids.filter((id) => this.#waiting.has(id));
    if (done.length === 0) return;
    await this.#lines.append([{ done }]);
    this.#forgetItems(done);
    const { size } = this.#lines;
    if (size <= renewedAtBytes) return;
    const bytes = this.waiting.reduce((sum, item) => sum + sizeOf(item), 0);
    if (size > renewedAtTimes * bytes) await this.renew();
  }

  /** Writes it anew, without the lines that say nothing. */
  async renew(): Promise<void> {
    await this.#lines.rewrite(() => [{ done: [...this.#done] }, ...this.#waiting.values()]);
    this.unreadable.length = 0;
  }

  #keep(item: InboxItem): void {
    const before = this.#waiting.get(item.id);
    if (before) this.#count(before, -1);
    // One that is known keeps its place.
    this.#waiting.set(item.id, item);
    this.#count(item, 1);
    // An edit is known like a message that is done.
    for (const edit of item.edited_by ?? []) this.#done.add(edit);
  }

  #drop(id: string): void {
    const item = this.#waiting.get(id);
    if (!item) return;
    this.#waiting.delete(id);
    this.#count(item, -1);
  }

  #count(item: InboxItem, sign: 1 | -1): void {
    const type = item.channel?.type;
    if (type === undefined) return;
    const { items, bytes } = this.waitingFrom(type);
    this.#loads.set(type, { items: items + sign, bytes: bytes + sign * sizeOf(item) });
  }

  #forgetItems(ids: readonly string[]): void {
    for (const id of ids) {
      this.#drop(id);
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

/** Lists the items that wait for an agent, read beside its one writer. */
export function waitingOf(journal: string, id: string): InboxItem[] {
  const waiting = new Map<string, InboxItem>();
  for (const { line } of readLines(bytesAt(inboxFile(journal, id)), Line)) {
    if (line === null) continue;
    if ("done" in line && !("id" in line)) for (const done of line.done) waiting.delete(done);
    else waiting.set(line.id, line);
  }
  return [...waiting.values()];
}

/** Whether an item waits for an agent or is done with, read beside the inbox's one writer. */
export function inboxPlace(journal: string, agent: string, item: string): "unknown" | "waits" | "done" {
  let place: "unknown" | "waits" | "done" = "unknown";
  for (const { line } of readLines(bytesAt(inboxFile(journal, agent)), Line)) {
    if (line === null) continue;
    if (!("done" in line) || "id" in line) place = line.id === item ? "waits" : place;
    else if (line.done.includes(item)) place = "done";
  }
  return place;
}

/** About what an item takes, in bytes. */
const sizeOf = ({ text, attachments = [] }: InboxItem) =>
  Buffer.byteLength(text) + attachments.length * attachmentBytes + itemBytes;
const [itemBytes, attachmentBytes] = [512, 1024];
