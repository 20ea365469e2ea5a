/** The messages that wait for an agent's turn: read as its queue, and sent, told or taken back here meanwhile. */

export type WaitingMessage = { id: string; ts: number; text: string; mode: string | null; isSent: boolean };

type Queued = { id: string; ts: number; type: string; text: string; mode: string | null };

/** Time after which a message that was sent stands in the queue, or waits no more; in ms. */
const arrivalMs = 10_000;

export class WaitingMessages {
  #all: readonly WaitingMessage[] = [];
  /** News since the queue was asked for: the queue may be older. */
  readonly #takenBack = new Set<string>();
  readonly #told = new Set<string>();

  get all(): readonly WaitingMessage[] {
    return this.#all;
  }

  /** The queue is asked for now. */
  ask(): void {
    this.#takenBack.clear();
    this.#told.clear();
  }

  /** Takes the queue that was asked for. What was sent a moment ago may not have come there yet. */
  take(queue: readonly Queued[]): void {
    const waiting = queue
      .filter(({ type, id }) => type === "user" && !this.#takenBack.has(id))
      .map((item) => ({ ...item, mode: this.#told.has(item.id) ? "steer" : item.mode, isSent: false }));
    const ids = new Set(waiting.map(({ id }) => id));
    const onItsWay = this.#all.filter(({ id, isSent, ts }) => isSent && !ids.has(id) && Date.now() - ts < arrivalMs);
    this.#all = [...waiting, ...onItsWay];
  }

  add(message: WaitingMessage): void {
    this.#all = [...this.#all, message];
  }

  /** It isn't said. */
  takeBack(message: string): void {
    this.#takenBack.add(message);
    this.#all = this.#all.filter(({ id }) => id !== message);
  }

  /** It is told to the turn that goes on. */
  tell(message: string): void {
    this.#told.add(message);
    this.#all = this.#all.map((item) => (item.id === message ? { ...item, mode: "steer" } : item));
  }

  /** Leaves out the messages that stand in the history: they do not wait any more. */
  leaveOut(said: ReadonlySet<string>): void {
    this.#all = this.#all.filter(({ id }) => !said.has(id));
  }
}
