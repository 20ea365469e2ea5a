/** Keeps what a model has said of a message that isn't whole yet, so that a kill loses no more than a few seconds of it. */
import type { Clock } from "../../provider/clock.ts";

/** Milliseconds after which text is kept at the latest, also when nothing more comes. */
const keptAfterMs = 5_000;

export class SaidPieces implements AsyncDisposable {
  readonly #clock: Pick<Clock, "after">;
  readonly #keep: (piece: string) => Promise<void>;
  #timer: Disposable | undefined;
  #waiting = "";
  #hasKept = false;
  #keeping: Promise<void> = Promise.resolve();

  /** @param keep is given each piece, in order */
  constructor(clock: Pick<Clock, "after">, keep: (piece: string) => Promise<void>) {
    this.#clock = clock;
    this.#keep = keep;
  }

  add(text: string): void {
    this.#waiting += text;
    if (!this.#hasKept && this.#waiting.trim() === "") return;
    this.#timer ??= this.#clock.after(keptAfterMs, () => {
      // Its failure is told when it is disposed of.
      this.keepRest().catch(() => {});
    });
  }

  /** Keeps what isn't kept yet: the message will not be whole. */
  keepRest(): Promise<void> {
    this.#stop();
    const piece = this.#waiting;
    if (piece === "" || (!this.#hasKept && piece.trim() === "")) return this.#keeping;
    this.#waiting = "";
    this.#hasKept = true;
    this.#keeping = this.#keeping.then(() => this.#keep(piece));
    return this.#keeping;
  }

  /** Nothing more is kept: the message is whole, or worth nothing. Resolves when all that was kept is written. */
  [Symbol.asyncDispose] = async (): Promise<void> => {
    this.#stop();
    this.#waiting = "";
    await this.#keeping;
  };

  #stop(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }
}
