/** The most mails to one address in an hour: the last defence against two machines that answer each other. Pure: the time is an argument. */

const hourMs = 3_600_000;
/** Addresses that are remembered, those written to last. */
const maxAddresses = 10_000;

export class AnswerLimit {
  readonly #most: number;
  readonly #sent = new Map<string, number[]>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Whether one more may go out. */
  hasRoom(address: string, nowMs: number): boolean {
    return this.#within(address, nowMs).length < this.#most;
  }

  note(address: string, nowMs: number): void {
    const times = [...this.#within(address, nowMs), nowMs];
    this.#sent.delete(address);
    this.#sent.set(address, times);
    const [oldest] = this.#sent.keys();
    if (this.#sent.size > maxAddresses && oldest !== undefined) this.#sent.delete(oldest);
  }

  #within(address: string, nowMs: number): number[] {
    return (this.#sent.get(address) ?? []).filter((at) => nowMs - at < hourMs);
  }
}
