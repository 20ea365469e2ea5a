/** A life of cortex in the simulation: the real cortex behind simulated ports, and of cortex/main.ts what opens it. */
import { Claims } from "../../../cortex/claims/claims.ts";
import { LeaseBeat } from "../../../cortex/claims/keep-lease.ts";
import type { CortexDeps } from "../../../cortex/deps.ts";
import { pause } from "../../../cortex/model/clock.ts";
import { recover } from "../../../cortex/recover.ts";
import { Cortex } from "../../../cortex/service.ts";
import type { Logger } from "../../../proc/logging/log.ts";
import type { Persona } from "../../../protocol/settings/persona.ts";
import type { SimBus } from "../bus.ts";
import type { StoredRequest } from "../state.ts";
import type { Engine } from "../engine.ts";
import type { Host } from "../host.ts";
import { Link } from "../link.ts";
import type { Rules } from "../rules.ts";
import { SimPublisher, simRequests } from "./sim-bus-ports.ts";
import { simFiles } from "./sim-files.ts";
import { simProcesses } from "./sim-processes.ts";
import { SimClaims, SimLease, SimLedger } from "./sim-stores.ts";
import { epochMs, times } from "../times.ts";
import type { Violations } from "../violations.ts";

export type World = {
  engine: Engine;
  bus: SimBus;
  violations: Violations;
  rules: Rules;
  capacity: number;
  mostOfAll: number | undefined;
  lossiness: number;
  log: Logger;
};

const nothing: Disposable = { [Symbol.dispose]() {} };
const persona: Persona = { name: "default", instruction: "", settings: {}, source: "built-in", path: "" };

export class SimCortex {
  readonly link: Link;
  readonly claims: Claims;
  readonly #world: World;
  readonly #host: Host;
  readonly #lease: SimLease;
  readonly #store: SimClaims;
  readonly #deps: CortexDeps;
  readonly #cortex: Cortex;
  readonly #inbox: StoredRequest[] = [];
  #isReading = false;
  #isOpen = false;

  constructor(world: World, host: Host) {
    const { bus, engine, violations, rules, log, capacity, mostOfAll } = world;
    this.#world = world;
    this.#host = host;
    const link = (this.link = new Link(engine, host, world.lossiness));
    const lease = (this.#lease = new SimLease(link, bus, engine, host));
    this.#store = new SimClaims(link, bus, host.name, rules.compareAndSet);
    const clock = {
      now: () => ({ wall: epochMs + Math.floor(host.wall), steady: host.steady }),
      later: (ms: number, what: () => void) => host.later(ms, what),
    };
    const claims = (this.claims = new Claims({
      store: this.#store,
      leases: lease,
      worker: host.name,
      longestOrphanMs: () => (rules.waitForLost ? times.longestOrphanMs : -1),
      log,
      clock,
    }));
    if (!rules.begin) claims.begin = async () => true;
    const mayPublish = (agentId: string) => !rules.publishOnLease || (lease.isFresh && claims.maySpeak(agentId));
    const settings = {
      max_concurrent: capacity,
      ...(mostOfAll !== undefined && rules.heldUpTo ? { max_concurrent_total: mostOfAll } : {}),
      default_backend: "offline",
    };
    this.#deps = {
      clock,
      files: simFiles(host, violations),
      processes: simProcesses(host, rules),
      requests: simRequests(link, bus, host, violations),
      publisher: new SimPublisher(link, bus, host.name, mayPublish),
      ledger: new SimLedger(link, bus, rules, claims),
      leases: lease,
      claims,
      journal: "/nowhere",
      worker: host.name,
      timeZone: "UTC",
      log,
      bus: { onReconnect: (what) => link.onReconnect(what), configDrift: { differences: [] } },
      isPrivateBus: false,
      usage: { restate() {}, add() {}, exceeded: () => null, onChange: () => nothing },
      mirror: null,
      resources: {},
      resourceWatch: { over: () => nothing },
      diskWatch: { look: () => null, over: () => nothing, mayStart: () => true },
      settings: () => settings,
      personas: { get: () => persona, all: () => [persona], problems: () => [] },
    };
    this.#cortex = new Cortex(this.#deps);
  }

  /** cortex/main.ts, from where everything is made. */
  async start(): Promise<void> {
    const cortex = this.#cortex;
    const { bus, rules, capacity } = this.#world;
    const left = [...this.#host.runs].filter(([, { hasFolder }]) => hasFolder).map(([agentId]) => agentId);
    await this.#insist(() => this.#lease.renew());
    const beat = new LeaseBeat({
      leases: this.#lease,
      isConnected: () => this.link.isConnected,
      whoWeAre: () => ({ worker: this.#host.name, labels: [], capacity }),
      confirm: async () => (rules.confirm ? cortex.confirm() : undefined),
      onRegained: () => cortex.resume(),
      onProblem: () => {},
    });
    this.link.onReconnect(() => {
      beat.lost();
      this.#store.pause();
      void this.#insist(() => this.#store.goOn());
    });
    this.#every(times.beatMs, () => beat.beat());
    bus.listeners.set(this.link, {
      onClaim: (agentId, stored) => this.#store.heard(agentId, stored),
      onRequest: (request) => this.#deliver(request),
    });
    // A cortex that can't read the claims ends, and is started again.
    const changed: Parameters<Claims["follow"]>[1] = (agentId, claim) => cortex.claimChanged(agentId, claim);
    await this.#insist(() => this.claims.follow(new AbortController().signal, changed));
    await recover(cortex, left.toSorted(), this.#deps);
    this.#every(times.adoptMs, () => void cortex.adoptOrphans().catch(() => {}));
    this.#isOpen = true;
    cortex.open();
    void this.#read();
  }

  cancel(agentId: string): void {
    this.#cortex.cancel(agentId);
  }

  #every(ms: number, what: () => void): void {
    this.#host.after(ms * (0.9 + 0.2 * this.#world.engine.random()), () => {
      what();
      this.#every(ms, what);
    });
  }

  #deliver(request: StoredRequest): void {
    this.#inbox.push(request);
    void this.#read();
  }

  async #read(): Promise<void> {
    if (this.#isReading || !this.#isOpen) return;
    this.#isReading = true;
    for (let request = this.#inbox.shift(); request; request = this.#inbox.shift())
      await this.#accept(request).catch(() => {}); // it comes again
    this.#isReading = false;
  }

  async #accept(request: StoredRequest): Promise<void> {
    const { data, streamSeq, deliveries } = request;
    const ack = () => this.link.call(() => void (request.isAcked = true));
    const { ackAfterRecord } = this.#world.rules;
    if (!ackAfterRecord) await ack();
    await this.#cortex.accept({
      data,
      streamSeq,
      isAgain: deliveries > 1,
      replyTo: null,
      ack: ackAfterRecord ? ack : async () => {},
      again() {},
    });
  }

  async #insist<T>(ask: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await ask();
      } catch {
        await pause(this.#deps.clock, times.againMs);
      }
    }
  }
}
