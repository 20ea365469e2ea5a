/** What went out to people and wasn't confirmed yet, `.state/outstanding-replies.jsonl`: a line when it goes, one when it is settled. */
import { z } from "zod";
import { Channel } from "../../protocol/agents/channel.ts";
import { LineFile } from "../../files/line-file.ts";
import { state } from "../config/paths.ts";
import { parseLines } from "../../files/text-records.ts";

const Outstanding = z.object({
  id: z.string(),
  ts: z.number(),
  channel: Channel,
  /** Its begin, for whoever is told. */
  text: z.string(),
  agent_id: z.string().optional(),
});
export type Outstanding = z.infer<typeof Outstanding>;

const Line = z.union([z.strictObject({ settled: z.string() }), Outstanding]);

/** Grown longer than this it is written anew. */
const renewedAtBytes = 256 * 1024;

export class OutstandingReplies implements Disposable {
  readonly #lines: LineFile;
  readonly #all = new Map<string, Outstanding>();

  constructor(journal: string) {
    this.#lines = new LineFile(state(journal, "outstanding-replies.jsonl"));
    for (const line of parseLines(this.#lines.read(0, this.#lines.size), Line))
      if ("settled" in line) this.#all.delete(line.settled);
      else this.#all.set(line.id, line);
  }

  get all(): Outstanding[] {
    return [...this.#all.values()];
  }

  get(id: string): Outstanding | undefined {
    return this.#all.get(id);
  }

  async add(one: Outstanding): Promise<void> {
    if (this.#all.has(one.id)) return;
    this.#all.set(one.id, one);
    await this.#lines.append([one]);
  }

  async settle(id: string): Promise<void> {
    if (!this.#all.delete(id)) return;
    await this.#lines.append([{ settled: id }]);
    if (this.#lines.size > renewedAtBytes) await this.#lines.rewrite(() => this.all);
  }

  [Symbol.dispose](): void {
    this.#lines[Symbol.dispose]();
  }
}
