/**
 * The replies that went out to people and weren't confirmed yet, `.state/outstanding-replies.jsonl`: a line when one
 * goes, another when it is settled.
 */
import { z } from "zod";
import { Channel } from "../../protocol/agents/channel.ts";
import { LineFile } from "../../files/writing/line-file.ts";
import { state } from "../config/paths.ts";
import { parseLines } from "../../files/lines/text-records.ts";

const OutstandingReply = z.object({
  id: z.string(),
  ts: z.number(),
  channel: Channel,
  /** Its begin, for whoever is told. */
  text: z.string(),
  agent_id: z.string().optional(),
});
export type OutstandingReply = z.infer<typeof OutstandingReply>;

const Line = z.union([z.strictObject({ settled: z.string() }), OutstandingReply]);

/** Grown longer than this it is written anew. */
const renewedAtBytes = 256 * 1024;

export class OutstandingReplies implements Disposable {
  readonly #lines: LineFile;
  readonly #all = new Map<string, OutstandingReply>();

  constructor(journal: string) {
    this.#lines = new LineFile(state(journal, "outstanding-replies.jsonl"));
    for (const line of parseLines(this.#lines.read(0, this.#lines.size), Line))
      if ("settled" in line) this.#all.delete(line.settled);
      else this.#all.set(line.id, line);
  }

  get all(): OutstandingReply[] {
    return [...this.#all.values()];
  }

  get(id: string): OutstandingReply | undefined {
    return this.#all.get(id);
  }

  async add(one: OutstandingReply): Promise<void> {
    if (this.#all.has(one.id)) return;
    this.#all.set(one.id, one);
    await this.#lines.append([one]);
  }

  async settleReply(id: string): Promise<void> {
    if (!this.#all.delete(id)) return;
    await this.#lines.append([{ settled: id }]);
    if (this.#lines.size > renewedAtBytes) await this.#lines.rewrite(() => this.all);
  }

  [Symbol.dispose](): void {
    this.#lines[Symbol.dispose]();
  }
}
