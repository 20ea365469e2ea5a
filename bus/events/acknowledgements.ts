/**
 * Which published events the stream has. A server that is alive may still lose what it is given: while a cluster chooses
 * a new leader, or when its disk is full. Only the stream's word counts, and who gets none sends again.
 */
import { createInbox, type NatsConnection } from "@nats-io/transport-node";

const lookEveryMs = 1000;
/** After so many looks no word comes any more. Counted, not timed: who was held up itself hasn't had the time to hear one. */
const overdueLooks = 5;

export class Acknowledgements {
  readonly #inbox: string;
  readonly #onMissing: (agentId: string) => void;
  #looks = 0;
  /** At which look each event went out that the stream hasn't confirmed yet, by its number, in this order. */
  readonly #underWay = new Map<string, Map<number, number>>();
  /** The first event of a run that the stream surely or probably lacks. */
  readonly #missing = new Map<string, { seq: number; told: number }>();
  readonly #waiters = new Set<() => void>();

  /** @param prefix of the inbox in which the stream's words arrive */
  constructor(connection: NatsConnection, prefix: string, onMissing: (agentId: string) => void) {
    this.#inbox = createInbox(prefix);
    this.#onMissing = onMissing;
    connection.subscribe(`${this.#inbox}.*.*`, {
      callback: (error, message) => {
        if (error) return;
        const [agentId = "", seq] = message.subject.slice(this.#inbox.length + 1).split(".");
        const isStored = message.headers?.code !== 503 && !message.string().includes('"error"');
        this.#heard(agentId, Number(seq), isStored);
      },
    });
    setInterval(() => this.#missOverdue(), lookEveryMs).unref();
  }

  /** Where the stream is to confirm an event that goes out now. */
  expect(agentId: string, seq: number): string {
    const ofRun = this.#underWay.get(agentId) ?? new Map<number, number>();
    this.#underWay.set(agentId, ofRun.set(seq, this.#looks));
    return `${this.#inbox}.${agentId}.${seq}`;
  }

  /** The first event that has to go out again, or null. */
  firstMissing(agentId: string): number | null {
    return this.#missing.get(agentId)?.seq ?? null;
  }

  /** It goes out again now. */
  retrying(agentId: string): void {
    this.#missing.delete(agentId);
  }

  /** The connection was lost, and with it these words. What the stream has it says itself, when it is asked. */
  forgetUnanswered(): void {
    this.#underWay.clear();
    this.#wake();
  }

  /** Waits until nothing of a run is under way. Resolves with whether the stream has all of it. */
  async settled(agentId: string): Promise<boolean> {
    while (this.#underWay.has(agentId) && !this.#missing.has(agentId))
      await new Promise<void>((resolve) => this.#waiters.add(resolve));
    return !this.#missing.has(agentId);
  }

  #heard(agentId: string, seq: number, isStored: boolean): void {
    const ofRun = this.#underWay.get(agentId);
    if (!ofRun?.delete(seq)) return;
    if (ofRun.size === 0) this.#underWay.delete(agentId);
    if (!isStored) this.#miss(agentId, seq);
    else if (ofRun.size === 0) this.#wake();
  }

  #missOverdue(): void {
    const latest = ++this.#looks - overdueLooks;
    for (const [agentId, ofRun] of this.#underWay) {
      const [first] = ofRun;
      if (!first || first[1] >= latest) continue;
      this.#underWay.delete(agentId);
      this.#miss(agentId, first[0]);
    }
    // Whoever was told may have failed.
    for (const [agentId, missing] of this.#missing) if (missing.told < latest) this.#tellMissing(agentId, missing);
  }

  #miss(agentId: string, seq: number): void {
    const known = this.#missing.get(agentId);
    const missing = known ?? { seq, told: 0 };
    missing.seq = Math.min(missing.seq, seq);
    this.#missing.set(agentId, missing);
    this.#wake();
    if (!known) this.#tellMissing(agentId, missing);
  }

  #tellMissing(agentId: string, missing: { told: number }): void {
    missing.told = this.#looks;
    this.#onMissing(agentId);
  }

  #wake(): void {
    const waiters = [...this.#waiters];
    this.#waiters.clear();
    for (const wake of waiters) wake();
  }
}
