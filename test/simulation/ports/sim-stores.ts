/** The bus as a worker's own code sees it: each step is asked for over its link. */
import type { Claim, ClaimNews, StoredClaim } from "../../../bus/claims/claims.ts";
import type { ChildEntry, LedgerEntry } from "../../../bus/claims/ledger.ts";
import type { Worker } from "../../../bus/claims/workers.ts";
import { isLeaseFresh, type Moment } from "../../../bus/claims/lease-validity.ts";
import type { Claims } from "../../../cortex/claims/claims.ts";
import type { RunLeases, RunLedger } from "../../../cortex/ports/ports.ts";
import type { SimBus } from "../bus.ts";
import type { Engine } from "../engine.ts";
import type { SimHost } from "../sim-host.ts";
import type { Link } from "../link.ts";
import type { Rules } from "../rules.ts";
import { times } from "../times.ts";

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

  forgetClaim(agentId: string, revision: number): Promise<void> {
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

export class SimLedger implements RunLedger {
  readonly #link: Link;
  readonly #bus: SimBus;
  readonly #rules: Rules;
  readonly #claims: Pick<Claims, "end">;

  constructor(link: Link, bus: SimBus, rules: Rules, claims: Pick<Claims, "end">) {
    this.#link = link;
    this.#bus = bus;
    this.#rules = rules;
    this.#claims = claims;
  }

  async record(agentId: string, entry: LedgerEntry): Promise<LedgerEntry | null> {
    if (await this.#link.call(() => this.#bus.writeEntry(agentId, entry, 0))) return null;
    return this.entry(agentId);
  }

  entry(agentId: string): Promise<LedgerEntry | null> {
    return this.#link.call(() => this.#seen(this.#bus.ledger.get(agentId)?.entry ?? null));
  }

  /** Hides the end of an entry from one that breaks the rule. */
  #seen(entry: LedgerEntry | null): LedgerEntry | null {
    return entry && !this.#rules.askLedger ? { ...entry, ended: undefined } : entry;
  }

  async change(agentId: string, change: (entry: LedgerEntry) => LedgerEntry | null): Promise<LedgerEntry | null> {
    for (;;) {
      const found = await this.#link.call(() => this.#bus.ledger.get(agentId));
      const changed = found ? change(found.entry) : null;
      if (!found || changed === null) return found?.entry ?? null;
      if (changed.ended && !this.#rules.ledgerFirst) await this.#claims.end(agentId);
      if (await this.#link.call(() => this.#bus.writeEntry(agentId, changed, found.revision))) return changed;
    }
  }

  claimChild(parent: string, wanted: ChildEntry): Promise<ChildEntry> {
    return this.#link.call(() => {
      const child = this.#bus.children.get(parent) ?? wanted;
      this.#bus.children.set(parent, child);
      return child;
    });
  }

  replaceChild(parent: string, child: ChildEntry): Promise<void> {
    return this.#link.call(() => void this.#bus.children.set(parent, child));
  }

  childOf(parent: string): Promise<ChildEntry | null> {
    return this.#link.call(() => this.#bus.children.get(parent) ?? null);
  }

  countDelivery(streamSeq: number): Promise<number> {
    return this.#link.call(() => {
      const count = (this.#bus.again.get(streamSeq) ?? 1) + 1;
      this.#bus.again.set(streamSeq, count);
      return count;
    });
  }

  /** Every simulated request has an id. */
  async assigned(): Promise<string | null> {
    return null;
  }

  async assign(_: number, wanted: string): Promise<string> {
    return wanted;
  }

  async reassign(): Promise<void> {}
}

export class SimLease implements RunLeases {
  readonly #link: Link;
  readonly #bus: SimBus;
  readonly #engine: Engine;
  readonly #host: SimHost;
  readonly leaseMs = times.leaseMs;
  readonly isAlone = false;
  #renewed: Moment | null = null;
  #isTrusted = true;

  constructor(link: Link, bus: SimBus, engine: Engine, host: SimHost) {
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

  async all(): Promise<Worker[]> {
    return [];
  }

  isAlive(worker: string): Promise<boolean> {
    return this.#link.call(() => (this.#bus.leases.get(worker) ?? 0) > this.#engine.now);
  }
}
