/** The position up to which the bus's events were copied, and of which stream. Written now and then: the rest is read again after a crash. */
import type { Bus } from "../../bus/connection/connect.ts";
import { eventStreamState } from "../../bus/events/event-feed.ts";
import { readMirrorPosition, writeMirrorPosition } from "../../journal/runs/mirrored-run.ts";

export class FeedPosition {
  readonly #journal: string;
  readonly #bus: Bus;
  #stream = "";
  /** The stream's number of the last event that was read. */
  seq = 0;

  constructor(journal: string, bus: Bus) {
    this.#journal = journal;
    this.#bus = bus;
  }

  /** Goes to where the copying stopped; to the beginning when the stream is another one, or has become shorter. */
  async find(): Promise<void> {
    const { stream, last } = await eventStreamState(this.#bus);
    const noted = this.#stream === "" ? readMirrorPosition(this.#journal) : null;
    const before = noted ?? { stream: this.#stream, seq: this.seq };
    this.#stream = stream;
    this.seq = before.stream === stream && before.seq <= last ? before.seq : 0;
  }

  /** Whether it differs from what was written. */
  get hasMoved(): boolean {
    if (this.#stream === "") return false;
    const noted = readMirrorPosition(this.#journal);
    return noted?.seq !== this.seq || noted.stream !== this.#stream;
  }

  async write(): Promise<void> {
    await writeMirrorPosition(this.#journal, { stream: this.#stream, seq: this.seq });
  }
}
