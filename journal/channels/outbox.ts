/**
 * The deliveries of an adapter, `.state/channels/<type>.jsonl`, so that nothing goes out twice, whenever it was killed.
 * A message goes out in one part or several, each of them noted before and after:
 *
 * - `prepared`: a part is about to go out. Nobody can say more when that is the latest line.
 * - `postponed`: it surely didn't arrive, and may go out again.
 * - `part`: that part arrived.
 * - `sent`, `failed`, `unknown`: what became of the message.
 * - `told`: whoever sent it knows.
 *
 * One writer. A torn last line doesn't count: what it tells of wasn't noted, so the line before it counts.
 */
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import { LineFile } from "../../files/writing/line-file.ts";
import { state } from "../config/paths.ts";
import { parseLines } from "../../files/lines/text-records.ts";

const id = z.string();
const position = z.number().int().nonnegative();
const part = z.number().int().nonnegative();
const external_id = z.string().optional();

const DeliveryOutcome = z.discriminatedUnion("state", [
  z.object({ state: z.literal("sent"), external_id }),
  z.object({ state: z.literal("failed"), error: z.string() }),
  z.object({ state: z.literal("unknown"), error: z.string() }),
]);
export type DeliveryOutcome = z.infer<typeof DeliveryOutcome>;

const OutboxLine = z.discriminatedUnion("state", [
  z.object({ state: z.literal("prepared"), id, position, part }),
  z.object({ state: z.literal("postponed"), id }),
  z.object({ state: z.literal("part"), id, part, external_id }),
  z.object({ state: z.literal("sent"), id, external_id }),
  z.object({ state: z.literal("failed"), id, error: z.string() }),
  z.object({ state: z.literal("unknown"), id, error: z.string() }),
  z.object({ state: z.literal("told"), id, position }),
  /** How far it had come when the file was rewritten. */
  z.object({ state: z.literal("position"), position }),
]);
type OutboxLine = z.infer<typeof OutboxLine>;

/** The delivery of a message, as far as it is known. */
export type MessageDelivery = {
  id: string;
  /** Its place in the stream, as it was when it was taken. */
  position: number;
  /** The ids outside of the parts that arrived, in order, undefined where a part has none. */
  arrived: (string | undefined)[];
  /** Whether a part is on its way, or was when everything ended. */
  isUnderWay: boolean;
  outcome: DeliveryOutcome | null;
  isTold: boolean;
};

/** A larger file is rewritten with what still counts. In bytes. */
const usualMaxBytes = 4 * 1024 * 1024;
/** Messages at most that are remembered as gone out. */
const usualMaxIds = 10_000;

export type OutboxLimits = { maxBytes: number; maxIds: number };

export class Outbox implements Disposable {
  readonly #lines: LineFile;
  readonly #limits: OutboxLimits;
  readonly #deliveries = new Map<string, MessageDelivery>();
  #position = 0;
  #maxBytes: number;

  /** Opens it for its one writer. */
  constructor(journal: string, type: string, limits: Partial<OutboxLimits> = {}) {
    const path = state(journal, "channels", `${type}.jsonl`);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    this.#limits = { maxBytes: usualMaxBytes, maxIds: usualMaxIds, ...limits };
    this.#maxBytes = this.#limits.maxBytes;
    this.#lines = new LineFile(path);
    for (const line of parseLines(this.#lines.read(0, this.#lines.size), OutboxLine)) this.#applyLine(line);
    this.#forgetOld();
  }

  /** The place of the last message that was told. */
  get position(): number {
    return this.#position;
  }

  /** The messages that haven't been told, in their order. */
  get untold(): MessageDelivery[] {
    return [...this.#deliveries.values()].filter(({ isTold }) => !isTold);
  }

  delivery(id: string): MessageDelivery | undefined {
    return this.#deliveries.get(id);
  }

  /** A part is about to go out. Resolves when that is on the disk. */
  prepared(id: string, position: number, part: number): Promise<void> {
    return this.#writeLine({ state: "prepared", id, position, part });
  }

  /** It surely didn't arrive, and may go out again. */
  postponed(id: string): Promise<void> {
    return this.#writeLine({ state: "postponed", id });
  }

  /** A part arrived, and others follow. */
  partArrived(id: string, part: number, externalId: string | undefined): Promise<void> {
    return this.#writeLine({
      state: "part",
      id,
      part,
      ...(externalId === undefined ? {} : { external_id: externalId }),
    });
  }

  /** Notes the outcome of a message's delivery. */
  ended(id: string, outcome: DeliveryOutcome): Promise<void> {
    return this.#writeLine({ ...outcome, id });
  }

  /** Notes that the sender knows the outcome. */
  async told(id: string, position: number): Promise<void> {
    await this.#writeLine({ state: "told", id, position });
    this.#forgetOld();
    if (this.#lines.size > this.#maxBytes) await this.#rewrite();
  }

  /** The stream is another one now, which counts from the begin. What was delivered stays known. */
  beginAnew(): Promise<void> {
    return this.#writeLine({ state: "position", position: 0 });
  }

  [Symbol.dispose](): void {
    this.#lines[Symbol.dispose]();
  }

  async #writeLine(line: OutboxLine): Promise<void> {
    await this.#lines.append([line]);
    this.#applyLine(line);
  }

  #applyLine(line: OutboxLine): void {
    if (line.state === "position") {
      this.#position = line.position;
      return;
    }
    const delivery = this.#deliveries.get(line.id) ?? newDelivery(line.id);
    this.#deliveries.set(line.id, delivery);
    switch (line.state) {
      case "prepared":
        delivery.position = line.position;
        delivery.isUnderWay = true;
        return;
      case "postponed":
        delivery.isUnderWay = false;
        return;
      case "part":
        delivery.isUnderWay = false;
        delivery.arrived[line.part] = line.external_id;
        return;
      case "told":
        delivery.isTold = true;
        this.#position = Math.max(this.#position, line.position);
        return;
      default: {
        const { id: _, ...outcome } = line;
        delivery.isUnderWay = false;
        delivery.outcome = outcome;
      }
    }
  }

  #forgetOld(): void {
    let excess = this.#deliveries.size - this.#limits.maxIds;
    for (const { id, isTold } of this.#deliveries.values()) {
      if (excess-- <= 0) return;
      if (isTold) this.#deliveries.delete(id);
    }
  }

  /** With the latest line on each message that is still known; those of whom nobody was told keep theirs. */
  async #rewrite(): Promise<void> {
    const known = [...this.#deliveries.values()].flatMap(linesOf);
    await this.#lines.rewrite(() => [...known, { state: "position", position: this.#position }]);
    // Not again at once where that much has to be kept.
    this.#maxBytes = Math.max(this.#limits.maxBytes, this.#lines.size * 2);
  }
}

const newDelivery = (id: string): MessageDelivery => ({
  id,
  position: 0,
  arrived: [],
  isUnderWay: false,
  outcome: null,
  isTold: false,
});

/** Builds the lines of a message when the file is rewritten. */
function linesOf({ id, position, arrived, isUnderWay, outcome, isTold }: MessageDelivery): OutboxLine[] {
  if (outcome !== null) return [{ ...outcome, id }, ...(isTold ? [{ state: "told" as const, id, position }] : [])];
  const prepared: OutboxLine = { state: "prepared", id, position, part: arrived.length };
  return [
    ...arrived.map((external_id, part): OutboxLine => ({ state: "part", id, part, external_id })),
    prepared,
    ...(isUnderWay ? [] : [{ state: "postponed" as const, id }]),
  ];
}
