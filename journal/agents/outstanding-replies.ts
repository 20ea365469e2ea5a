/**
 * The replies that went out to people and weren't confirmed yet, `.state/outstanding-replies.jsonl`: a line when one
 * goes, another when it is settled. The latest that arrived are remembered: their service may say later that one didn't.
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

/** @field is_delivered it has arrived, as far as its service knows */
const Settled = z.strictObject({ settled: z.string(), is_delivered: z.literal(true).optional() });
const Line = z.union([Settled, OutstandingReply]);

const mostDelivered = 100;

/** Grown longer than this it is written anew. */
const renewedAtBytes = 256 * 1024;

export class OutstandingReplies implements Disposable {
  readonly #lines: LineFile;
  readonly #all = new Map<string, OutstandingReply>();
  /** The oldest first. */
  readonly #delivered = new Map<string, OutstandingReply>();

  constructor(journal: string) {
    this.#lines = new LineFile(state(journal, "outstanding-replies.jsonl"));
    for (const line of parseLines(this.#lines.read(0, this.#lines.size), Line))
      if ("settled" in line) this.#settle(line.settled, line.is_delivered);
      else this.#all.set(line.id, line);
  }

  get all(): OutstandingReply[] {
    return [...this.#all.values()];
  }

  get(id: string): OutstandingReply | undefined {
    return this.#all.get(id);
  }

  /** One that has arrived, as far as was known. */
  delivered(id: string): OutstandingReply | undefined {
    return this.#delivered.get(id);
  }

  async add(one: OutstandingReply): Promise<void> {
    if (this.#all.has(one.id)) return;
    this.#all.set(one.id, one);
    await this.#lines.append([one]);
  }

  async settleReply(id: string, isDelivered = false): Promise<void> {
    if (!this.#settle(id, isDelivered)) return;
    await this.#lines.append([settled(id, isDelivered)]);
    if (this.#lines.size > renewedAtBytes) await this.#lines.rewrite(() => [...this.#deliveredLines(), ...this.all]);
  }

  /** @returns whether it was known */
  #settle(id: string, isDelivered = false): boolean {
    const one = this.#all.get(id) ?? this.#delivered.get(id);
    this.#all.delete(id);
    this.#delivered.delete(id);
    if (one && isDelivered) this.#delivered.set(id, one);
    const [oldest] = this.#delivered.keys();
    if (this.#delivered.size > mostDelivered && oldest !== undefined) this.#delivered.delete(oldest);
    return one !== undefined;
  }

  #deliveredLines(): unknown[] {
    return [...this.#delivered.values()].flatMap((one) => [one, settled(one.id, true)]);
  }

  [Symbol.dispose](): void {
    this.#lines[Symbol.dispose]();
  }
}

const settled = (id: string, isDelivered: boolean): z.infer<typeof Settled> => ({
  settled: id,
  ...(isDelivered && { is_delivered: true }),
});
