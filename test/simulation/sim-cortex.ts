/**
 * A life of cortex in the simulation. Claims, lease, table, queue and every decision are the real ones; what this file copies
 * of cortex/service.ts, starter.ts, recover.ts and finalizer.ts is the order of the steps.
 */
import type { Claim } from "../../bus/claims/claims.ts";
import type { Before } from "../../cortex/claims/claim-view.ts";
import { Claims } from "../../cortex/claims/claims.ts";
import { LeaseBeat } from "../../cortex/claims/keep-lease.ts";
import { concerns, isOursUnclaimed } from "../../cortex/claims/ownership.ts";
import { RequestQueue, type Waiting } from "../../cortex/intake/queue.ts";
import { recordRequest } from "../../cortex/intake/record-request.ts";
import { reserved } from "../../cortex/intake/deduplication.ts";
import type { SimBus, SimDelivery, SimRequest } from "./bus.ts";
import type { Engine } from "./engine.ts";
import type { Host, SimEvent } from "./host.ts";
import { Link } from "./link.ts";
import type { Rules } from "./rules.ts";
import { SimClaims, SimLease, SimLedger } from "./sim-stores.ts";
import { maxAttempts, SimRun } from "./sim-run.ts";
import { times } from "./times.ts";
import type { Violations } from "./violations.ts";

export type World = {
  engine: Engine;
  bus: SimBus;
  violations: Violations;
  rules: Rules;
  capacity: number;
  mostOfAll: number | undefined;
  lossiness: number;
  /** The number of the next event that anybody writes. */
  nextTag: () => number;
};

export class SimCortex {
  readonly world: World;
  readonly host: Host;
  readonly link: Link;
  readonly claims: Claims;
  readonly ledger: SimLedger;
  readonly lease: SimLease;
  readonly #store: SimClaims;
  readonly #queue = new RequestQueue();
  readonly #runs = new Map<string, SimRun>();
  readonly #busy = new Set<string>();
  readonly #stopWords = new Set<string>();
  readonly #owed = new Set<string>();
  readonly #paying = new Set<string>();
  readonly #inbox: SimDelivery[] = [];
  /** How often the connection was lost. */
  losses = 0;
  #isReading = false;
  #isOpen = false;
  #learning: Promise<void> = Promise.resolve();

  constructor(world: World, host: Host) {
    const { bus, engine, rules } = world;
    this.world = world;
    this.host = host;
    this.link = new Link(engine, host, world.lossiness);
    this.ledger = new SimLedger(this.link, bus);
    this.lease = new SimLease(this.link, bus, engine, host);
    this.#store = new SimClaims(this.link, bus, host.name, rules.compareAndSet);
    this.claims = new Claims({
      store: this.#store,
      leases: this.lease,
      worker: host.name,
      longestOrphanMs: () => (rules.waitForLost ? times.longestOrphanMs : -1),
      log: { warn: () => {}, error: () => {} },
      clock: { now: () => ({ wall: host.wall, steady: host.steady }), later: (ms, what) => host.later(ms, what) },
    });
  }

  say(text: string): void {
    this.world.engine.say(`${this.host.name}: ${text}`);
  }

  /** cortex/main.ts, from top to bottom. */
  async start(): Promise<void> {
    const { host, link, lease, claims, world } = this;
    const left = [...host.runs].filter(([, { hasFolder }]) => hasFolder).map(([agentId]) => agentId);
    host.onAgent = (agentId) => void this.#runs.get(agentId)?.look();
    await this.insist(() => lease.renew());
    const beat = new LeaseBeat({
      leases: lease,
      isConnected: () => link.isConnected,
      whoWeAre: () => ({ worker: host.name, labels: [], capacity: world.capacity }),
      confirm: () => this.#confirm(),
      onRegained: () => this.#resume(),
      onProblem: () => {},
    });
    link.onReconnect(() => {
      this.losses++;
      for (const run of this.#runs.values()) run.isBehind = true;
      beat.lost();
      this.#store.pause();
      claims.lostTrack();
      void this.insist(() => this.#store.goOn());
    });
    this.#every(times.beatMs, () => beat.beat());
    world.bus.listeners.set(link, {
      onClaim: (agentId, stored) => this.#store.heard(agentId, stored),
      onRequest: (delivery) => this.#deliver(delivery),
    });
    // A cortex that can't read the claims ends, and is started again.
    await this.insist(() => claims.follow(new AbortController().signal, (id, claim) => this.#claimChanged(id, claim)));
    for (const agentId of left.toSorted()) await this.#tryToRecover(agentId);
    this.#every(times.adoptMs, () => void this.#adopt().catch(() => {}));
    this.#isOpen = true;
    this.#pump();
    void this.#read();
  }

  isPublishing(agentId: string): boolean {
    const isOurs = this.lease.isFresh && this.claims.maySpeak(agentId);
    return this.link.isConnected && (!this.world.rules.publishOnLease || isOurs);
  }

  publish(agentId: string, event: SimEvent): void {
    if (this.isPublishing(agentId)) this.link.send(() => this.world.bus.storeEvent(agentId, event, this.host.name));
  }

  async catchUp(agentId: string, events: SimEvent[]): Promise<boolean> {
    if (!this.isPublishing(agentId)) return false;
    const last = await this.link.call(() => this.world.bus.lastSeq(agentId));
    if (!this.isPublishing(agentId)) return false;
    for (const event of events) if (event.seq > last) this.publish(agentId, event);
    await this.link.call(() => true);
    return this.isPublishing(agentId);
  }

  #every(ms: number, what: () => void): void {
    this.host.after(ms * (0.9 + 0.2 * this.world.engine.random()), () => {
      what();
      this.#every(ms, what);
    });
  }

  #deliver(delivery: SimDelivery): void {
    this.#inbox.push(delivery);
    void this.#read();
  }

  async #read(): Promise<void> {
    if (this.#isReading || !this.#isOpen) return;
    this.#isReading = true;
    for (let delivery = this.#inbox.shift(); delivery; delivery = this.#inbox.shift())
      await this.#accept(delivery).catch(() => {}); // it comes again
    this.#isReading = false;
  }

  async #accept({ streamSeq, request, hash }: SimDelivery): Promise<void> {
    const { agentId, priority } = request;
    const ack = () =>
      this.link.call(() => {
        const stored = this.world.bus.requests[streamSeq - 1];
        if (stored) stored.isAcked = true;
      });
    const record = () =>
      recordRequest(
        agentId,
        { hash, stream_seq: streamSeq },
        { priority, labels: [] },
        {
          ledger: this.ledger,
          claims: this.claims,
          deduplicateByFile: () => (this.host.disk(agentId).file ? "duplicate" : "new"),
        },
      );
    if (!this.world.rules.ackAfterRecord) await ack();
    const standing = await record();
    if (standing === "new") this.#enqueue({ agentId, request: asWaiting(request), streamSeq });
    if (this.world.rules.ackAfterRecord) await ack();
  }

  #enqueue(waiting: Waiting): void {
    const { agentId } = waiting;
    if (this.#runs.has(agentId) || this.#busy.has(agentId) || this.host.disk(agentId).file) return;
    if (this.#stopWords.has(agentId)) return void this.#endCancelled(waiting);
    this.#queue.add(waiting);
    this.#pump();
  }

  #claimChanged(agentId: string, claim: Claim): void {
    const isOurs = concerns(claim, this.host.name);
    if (isOurs && !this.#isKnown(agentId)) this.#learn(agentId, claim);
    if (!isOurs) this.#queue.take(agentId);
    if (claim.state === "ended") this.#pump();
  }

  #learn(agentId: string, claim: Claim): void {
    this.#learning = this.#learning.then(async () => {
      if (this.#isKnown(agentId)) return;
      try {
        const stored = await this.link.call(() => this.world.bus.requests[claim.stream_seq - 1]);
        if (stored) this.#enqueue({ agentId, request: asWaiting(stored.request), streamSeq: claim.stream_seq });
      } catch {
        this.host.after(times.againMs, () => this.#learn(agentId, claim));
      }
    });
  }

  async #adopt(): Promise<void> {
    await this.claims.learnOthers();
    for (const agentId of await this.claims.orphaned()) {
      const claim = this.claims.get(agentId);
      if (claim && !this.#isKnown(agentId)) this.#learn(agentId, claim);
    }
  }

  #isKnown(agentId: string): boolean {
    return this.#queue.has(agentId) || this.#runs.has(agentId) || this.#busy.has(agentId);
  }

  cancel(agentId: string): void {
    const run = this.#runs.get(agentId);
    if (run) return void run.step({ type: "stop", reason: "cancelled", error: "cancelled" });
    this.#stopWords.add(agentId);
    const waiting = this.#queue.take(agentId);
    if (waiting) return void this.#endCancelled(waiting);
    const claim = this.claims.get(agentId);
    if (claim?.state === "queued") this.#learn(agentId, claim);
  }

  async #endCancelled(waiting: Waiting): Promise<void> {
    const { agentId } = waiting;
    this.#busy.add(agentId);
    try {
      if (await this.insist(() => this.#take(agentId))) await this.#endTaken(waiting);
    } finally {
      this.#busy.delete(agentId);
      this.#pump();
    }
  }

  async #endTaken(waiting: Waiting): Promise<void> {
    const { agentId } = waiting;
    if (this.claims.before(agentId).isTakenOver) return this.#start(waiting);
    const run = await this.#claimFile(agentId);
    if (!run) return;
    await run.write(["request"]);
    await run.write(["error"]);
    await run.commit();
    this.#pay(agentId);
  }

  #pump(): void {
    while (this.#isOpen && this.#runs.size + this.#busy.size < this.world.capacity) {
      const waiting = this.#queue.take();
      if (!waiting) break;
      void this.#start(waiting);
    }
  }

  async #start(waiting: Waiting): Promise<void> {
    const { agentId } = waiting;
    this.#busy.add(agentId);
    try {
      if (!(await this.#obtain(waiting))) return;
      const run = await this.#claimFile(agentId);
      if (run) await this.#goOn(run, waiting.streamSeq, this.claims.before(agentId));
    } catch (error) {
      this.say(`${agentId} couldn't be started: ${String(error)}`);
      this.host.after(times.againMs, () => this.#enqueue(waiting));
    } finally {
      this.#busy.delete(agentId);
      this.#pump();
    }
  }

  /** Takes a claim, unless it was made again of a run that has ended. */
  async #take(agentId: string): Promise<boolean> {
    if (!(await this.claims.take(agentId))) return false;
    if (!this.world.rules.askLedger || !(await this.ledger.entry(agentId))?.ended) return true;
    await this.claims.end(agentId);
    return false;
  }

  async #obtain(waiting: Waiting): Promise<boolean> {
    const { agentId } = waiting;
    try {
      if (!(await this.#take(agentId))) return false;
      const { mostOfAll, rules } = this.world;
      if (mostOfAll === undefined || !rules.heldUpTo || (await this.claims.isAmongFirst(agentId, mostOfAll)))
        return true;
      await this.claims.release(agentId);
    } catch {
      // It is tried again.
    }
    this.host.after(times.againMs, () => this.#enqueue(waiting));
    return false;
  }

  async #claimFile(agentId: string): Promise<SimRun | null> {
    const disk = this.host.disk(agentId);
    disk.hasFolder = true;
    await this.host.moment();
    if (disk.file) return null;
    disk.file = [];
    await this.host.moment();
    return new SimRun(this, agentId, false);
  }

  #stored(agentId: string): Promise<SimEvent[]> {
    return this.link.call(() => [...(this.world.bus.events.get(agentId) ?? [])]);
  }

  async #goOn(run: SimRun, streamSeq: number, before: Before): Promise<void> {
    const { agentId, file } = run;
    if (before.isTakenOver) {
      const stored = await this.insist(() => this.#stored(agentId));
      file.push(...stored.slice(file.length));
      await this.host.moment();
    }
    if (file.length === 0) await run.write(["request"]);
    const starts = file.filter(({ name }) => name === "start").length;
    const lost = Math.max(before.attempts, starts);
    if (lost >= maxAttempts && !file.some(isLast)) {
      await run.write(["error"]);
      await run.commit();
      return this.#pay(agentId);
    }
    this.host.disk(agentId).record = { attempt: 1 + lost, lost };
    await this.host.moment();
    const isEnded = file.some(isLast);
    this.#takeUp(run, this.requestAt(streamSeq), () => (isEnded ? run.finishOnly(!before.isTakenOver) : run.start()));
  }

  requestAt(streamSeq: number): SimRequest {
    return this.world.bus.requests[streamSeq - 1]?.request as SimRequest;
  }

  #takeUp(run: SimRun, request: SimRequest, go: () => Promise<void>): void {
    run.begin(request);
    this.#runs.set(run.agentId, run);
    void go().catch(() => {});
    if (this.#stopWords.has(run.agentId)) void run.step({ type: "stop", reason: "cancelled", error: "cancelled" });
  }

  /** A run is over here. */
  over(run: SimRun): void {
    this.#runs.delete(run.agentId);
    if (run.state === "closed") this.#pay(run.agentId);
    else this.host.disk(run.agentId).hasFolder = false;
    this.#pump();
  }

  async #tryToRecover(agentId: string): Promise<void> {
    try {
      await this.#recover(agentId);
    } catch (error) {
      this.say(`${agentId} couldn't be taken up: ${String(error)}`);
      this.host.after(times.againMs, () => void this.#tryToRecover(agentId));
    }
  }

  async #recover(agentId: string): Promise<void> {
    const disk = this.host.disk(agentId);
    if (!disk.file) return void (disk.hasFolder = false);
    const entry = await this.ledger.entry(agentId);
    if (!(await this.#isOursAtBoot(agentId))) return this.#fence(agentId);
    if (disk.isCommitted) return this.#pay(agentId);
    const run = new SimRun(this, agentId, true);
    if (disk.record && run.file.length === 0) await run.write(["request"]);
    const streamSeq = entry?.stream_seq ?? 0;
    if (disk.record) return this.#takeUp(run, this.requestAt(streamSeq), () => run.adopt());
    const before = this.claims.before(agentId);
    if (run.file.some(isLast) && !before.isTakenOver) {
      await run.commit();
      return this.#pay(agentId);
    }
    await this.#goOn(run, streamSeq, before);
  }

  async #isOursAtBoot(agentId: string): Promise<boolean> {
    const entry = await this.ledger.entry(agentId);
    if (entry?.ended) return entry.ended.worker === this.host.name;
    if (!entry) return true;
    await this.claims.offer(agentId, { stream_seq: entry.stream_seq, priority: 50, labels: [] });
    const claim = this.claims.get(agentId);
    const isNew = claim?.state === "queued" && claim.epoch === 0;
    return isNew ? this.claims.take(agentId) : this.claims.confirm(agentId);
  }

  #fence(agentId: string): void {
    this.#owed.delete(agentId);
    this.say(`${agentId} is another's now: set aside`);
    const disk = this.host.disk(agentId);
    for (const number of disk.attempts.keys()) this.host.endAgent(agentId, number, null);
    disk.file = null;
    disk.hasFolder = false;
    disk.isCommitted = false;
    disk.record = null;
  }

  #pay(agentId: string): void {
    this.#owed.add(agentId);
    if (this.#paying.has(agentId)) return;
    this.#paying.add(agentId);
    this.#payNow(agentId)
      .catch(() => this.host.after(times.owedAgainMs, () => this.#owed.has(agentId) && this.#pay(agentId)))
      .finally(() => this.#paying.delete(agentId));
  }

  async #payNow(agentId: string): Promise<void> {
    const { host, claims, ledger, link, world } = this;
    const disk = host.disk(agentId);
    if (!(await this.mayEnd(agentId))) return this.#fence(agentId);
    const { child } = disk;
    if (child !== null) {
      await ledger.claimChild(agentId, child);
      const request = childRequest(child);
      await link.call(() => world.bus.storeRequest(request, `hash of ${child}`, `${child}:`));
    }
    if (!(await this.catchUp(agentId, disk.file ?? []))) throw new Error("the bus hasn't taken all events yet");
    const note = () => {
      const ended = { worker: host.name, epoch: claims.get(agentId)?.epoch ?? 0 };
      return ledger.change(agentId, (entry) => (entry.ended ? null : { ...entry, ended }));
    };
    if (!world.rules.ledgerFirst) await claims.end(agentId);
    const known = await note();
    if (world.rules.ledgerFirst) await claims.end(agentId);
    if (known?.ended && known.ended.worker !== host.name) return this.#fence(agentId);
    disk.hasFolder = false;
    this.#owed.delete(agentId);
    this.say(`nothing of ${agentId} is owed`);
  }

  /** An id for what a run hands on to: the same each time. */
  async reserveId(parent: string): Promise<string> {
    const child = await this.ledger.claimChild(parent, `${parent}c`).catch(() => `${parent}c`);
    await this.ledger.record(child, { hash: `hash of ${child}`, stream_seq: reserved, parent }).catch(() => null);
    return child;
  }

  async #confirm(): Promise<void> {
    if (!this.world.rules.confirm) return;
    await this.claims.confirmAll();
    for (const agentId of [...this.#runs.keys(), ...this.#busy, ...this.#owed]) {
      if (await this.#isOurs(agentId)) continue;
      this.claims.bar(agentId);
      void this.#runs.get(agentId)?.step({ type: "fenced" });
    }
  }

  async #resume(): Promise<void> {
    for (const run of this.#runs.values()) void run.catchUp();
    for (const agentId of this.#owed) this.#pay(agentId);
    this.#pump();
  }

  async #isOurs(agentId: string): Promise<boolean> {
    if (this.claims.isHeld(agentId)) return true;
    const ended = (await this.ledger.entry(agentId))?.ended;
    if (this.claims.isHeld(agentId)) return true;
    return isOursUnclaimed(this.claims.get(agentId), ended, this.host.name);
  }

  mayStart(agentId: string, attempt: number): Promise<boolean> {
    if (!this.world.rules.begin) return Promise.resolve(true);
    return this.#whileFresh(() => this.claims.begin(agentId, attempt));
  }

  async mayEnd(agentId: string): Promise<boolean> {
    if (this.lease.isFresh && this.claims.isHeld(agentId)) return true;
    return this.#whileFresh(async () => {
      await this.claims.confirm(agentId);
      return this.#isOurs(agentId);
    });
  }

  async #whileFresh(ask: () => Promise<boolean>): Promise<boolean> {
    while (await this.insist(ask)) {
      if (this.lease.isFresh) return true;
      await new Promise<void>((resolve) => this.host.after(times.againMs, resolve));
    }
    return false;
  }

  async insist<T>(ask: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await ask();
      } catch {
        await new Promise<void>((resolve) => this.host.after(times.againMs, resolve));
      }
    }
  }
}

export const isLast = ({ name }: { name: string }) => name === "finish" || name === "error";

const asWaiting = ({ priority, agentId }: SimRequest) => ({ ts: Number.parseInt(agentId, 10), prompt: "-", priority });

/** What a finished run hands on to. */
const childRequest = (agentId: string): SimRequest => ({
  agentId,
  priority: 50,
  script: ["text", "finish"],
  hasHandoff: false,
  isSaved: false,
});
