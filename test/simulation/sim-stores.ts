/** The bus as a worker's own code sees it: each step is asked for over its link. */
import type { Claim, ClaimNews, StoredClaim } from "../../bus/claims/claims.ts";
import type { LedgerEntry } from "../../bus/claims/ledger.ts";
import { isLeaseFresh, type Moment } from "../../bus/claims/lease-validity.ts";
import type { SimBus } from "./bus.ts";
import type { Engine } from "./engine.ts";
import type { Host } from "./host.ts";
import type { Link } from "./link.ts";
import { times } from "./times.ts";

export class SimClaims {
  readonly #link: Link;
  readonly #bus: SimBus;
  readonly #worker: string;
  readonly #isCompared: boolean;
  readonly #news: ClaimNews[] = [];
  #wake = () => {};
  #last = 0;
  #isPaused = false;

  constructor(link: Link, bus: SimBus, worker: string, isCompared: boolean) {
    this.#link = link;
    this.#bus = bus;
    this.#worker = worker;
    this.#isCompared = isCompared;
  }

  create(agentId: string, claim: Claim): Promise<number | null> {
    return this.#link.call(() => this.#bus.writeClaim(agentId, claim, 0, this.#worker));
  }

  get(agentId: string): Promise<StoredClaim | null> {
    return this.#link.call(() => this.#bus.claims.get(agentId) ?? null);
  }

  replace(agentId: string, claim: Claim, revision: number): Promise<number | null> {
    return this.#link.call(() => {
      const expected = this.#isCompared ? revision : (this.#bus.claims.get(agentId)?.revision ?? 0);
      return this.#bus.writeClaim(agentId, claim, expected, this.#worker);
    });
  }

  forget(agentId: string, revision: number): Promise<void> {
    return this.#link.call(() => this.#bus.forgetClaim(agentId, revision));
  }

  /** The connection was lost: what comes now, comes once more, in its order. */
  pause(): void {
    this.#isPaused = true;
  }

  /** A change has arrived. */
  heard(agentId: string, stored: StoredClaim, isLast = true): void {
    if (this.#isPaused) return;
    this.#last = Math.max(this.#last, stored.revision);
    this.#news.push({ agentId, ...stored, isLast });
    this.#wake();
  }

  /** Goes on behind the last change that arrived: those that were forgotten meanwhile never come. */
  async goOn(): Promise<void> {
    const missed = await this.#link.call(() =>
      [...this.#bus.claims].filter(([, { revision }]) => revision > this.#last),
    );
    this.#isPaused = false;
    const last = missed.length - 1;
    for (const [index, [agentId, stored]] of inOrder(missed).entries()) this.heard(agentId, stored, index === last);
  }

  async *watch(_: AbortSignal, onLoaded: () => void): AsyncGenerator<ClaimNews> {
    const all = await this.#link.call(() => [...this.#bus.claims]);
    for (const [agentId, stored] of inOrder(all)) {
      this.#last = Math.max(this.#last, stored.revision);
      yield { agentId, ...stored, isLast: false };
    }
    onLoaded();
    for (;;) {
      const news = this.#news.shift();
      if (news) yield news;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }
}

/** As the stream has them: each at the place of its last change. */
const inOrder = (claims: [string, StoredClaim][]) => claims.toSorted(([, a], [, b]) => a.revision - b.revision);

export class SimLedger {
  readonly #link: Link;
  readonly #bus: SimBus;

  constructor(link: Link, bus: SimBus) {
    this.#link = link;
    this.#bus = bus;
  }

  async record(agentId: string, entry: LedgerEntry): Promise<LedgerEntry | null> {
    if (await this.#link.call(() => this.#bus.writeEntry(agentId, entry, 0))) return null;
    return this.entry(agentId);
  }

  entry(agentId: string): Promise<LedgerEntry | null> {
    return this.#link.call(() => this.#bus.ledger.get(agentId)?.entry ?? null);
  }

  async change(agentId: string, change: (entry: LedgerEntry) => LedgerEntry | null): Promise<LedgerEntry | null> {
    for (;;) {
      const found = await this.#link.call(() => this.#bus.ledger.get(agentId));
      const changed = found ? change(found.entry) : null;
      if (!found || changed === null) return found?.entry ?? null;
      if (await this.#link.call(() => this.#bus.writeEntry(agentId, changed, found.revision))) return changed;
    }
  }

  claimChild(parent: string, wanted: string): Promise<string> {
    return this.#link.call(() => {
      const child = this.#bus.children.get(parent) ?? wanted;
      this.#bus.children.set(parent, child);
      return child;
    });
  }
}

export class SimLease {
  readonly #link: Link;
  readonly #bus: SimBus;
  readonly #engine: Engine;
  readonly #host: Host;
  readonly leaseMs = times.leaseMs;
  #renewed: Moment | null = null;
  #isTrusted = true;

  constructor(link: Link, bus: SimBus, engine: Engine, host: Host) {
    this.#link = link;
    this.#bus = bus;
    this.#engine = engine;
    this.#host = host;
  }

  get #present(): Moment {
    return { wall: this.#host.wall, steady: this.#host.steady };
  }

  get isFresh(): boolean {
    return this.#isTrusted && isLeaseFresh(this.#renewed, this.#present, times.leaseMs);
  }

  doubt(): void {
    this.#isTrusted = false;
  }

  trust(): void {
    this.#isTrusted = true;
  }

  async renew(): Promise<void> {
    const asked = this.#present;
    const { name } = this.#host;
    await this.#link.call(() => this.#bus.leases.set(name, this.#engine.now + times.leaseMs));
    this.#renewed = asked;
  }

  isAlive(worker: string): Promise<boolean> {
    return this.#link.call(() => (this.#bus.leases.get(worker) ?? 0) > this.#engine.now);
  }
}
