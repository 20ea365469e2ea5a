/** A life of cortex in the simulation: the real cortex behind simulated ports, booted in cortex's own order. */
import type { RequestDelivery } from "../../../bus/runs/requests.ts";
import { type BootPorts, bootCortex, takeRequests } from "../../../cortex/boot.ts";
import { Claims } from "../../../cortex/claims/claims.ts";
import { LeaseBeat } from "../../../cortex/claims/keep-lease.ts";
import type { CortexDeps } from "../../../cortex/deps.ts";
import { pause } from "../../../cortex/model/clock.ts";
import { Cortex } from "../../../cortex/service.ts";
import type { Logger } from "../../../proc/logging/log.ts";
import type { Persona } from "../../../protocol/settings/persona.ts";
import type { SimBus } from "../bus.ts";
import type { StoredRequest } from "../state.ts";
import type { Engine } from "../engine.ts";
import type { SimHost } from "../sim-host.ts";
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
  readonly #host: SimHost;
  readonly #lease: SimLease;
  readonly #store: SimClaims;
  readonly #deps: CortexDeps;
  readonly #cortex: Cortex;
  readonly #inbox: StoredRequest[] = [];
  #wake = () => {};

  constructor(world: World, host: SimHost) {
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
      ports: {
        clock,
        files: simFiles(host, violations),
        processes: simProcesses(host, rules),
        requests: simRequests(link, bus, host, violations),
        publisher: new SimPublisher(link, bus, host.name, mayPublish),
        ledger: new SimLedger(link, bus, rules, claims),
        leases: lease,
      },
      host: {
        journal: "/nowhere",
        worker: host.name,
        timeZone: "UTC",
        resources: {},
        resourceWatch: { over: () => nothing },
        diskWatch: { checkSpace: () => null, over: () => nothing, mayStart: () => true },
      },
      shared: {
        bus: { onReconnect: (what) => (link.onReconnect(what), nothing), configDrift: { differences: [] } },
        isPrivateBus: false,
        claims,
        usage: { restate() {}, add() {}, exceeded: () => null, onChange: () => nothing },
        mirror: null,
      },
      log,
      settings: () => settings,
      personas: { get: () => persona, all: () => [persona], problems: () => [] },
    };
    this.#cortex = new Cortex(this.#deps);
  }

  /** Boots as cortex/main.ts does: cortex/boot.ts has the order. */
  async start(): Promise<void> {
    const left = [...this.#host.runs].filter(([, { hasFolder }]) => hasFolder).map(([agentId]) => agentId);
    await bootCortex(this.#cortex, this.#deps, {
      leftRuns: () => left.toSorted(),
      keepLease: (lease) => this.#keepLease(lease),
      followClaims: async (onChange) => {
        this.#subscribe();
        // A cortex that can't read the claims ends, and is started again.
        await this.#insist(() => this.claims.follow(new AbortController().signal, onChange));
      },
      detectLosses: async () => [],
      makeUpFor() {},
      listen: async () => {},
      every: (ms, what) => this.#every(ms, what),
    });
    await takeRequests(this.#cortex, this.#deliveries(), this.#world.log);
  }

  async #keepLease({ confirm, onRegained }: Parameters<BootPorts["keepLease"]>[0]): Promise<void> {
    const { rules, capacity } = this.#world;
    await this.#insist(() => this.#lease.renew());
    const beat = new LeaseBeat({
      leases: this.#lease,
      isConnected: () => this.link.isConnected,
      whoWeAre: () => ({ worker: this.#host.name, labels: [], capacity }),
      confirm: async () => (rules.confirm ? confirm() : undefined),
      onRegained,
      onProblem: () => {},
    });
    this.link.onReconnect(() => {
      beat.lost();
      this.#store.pause();
      void this.#insist(() => this.#store.goOn());
    });
    this.#every(times.beatMs, () => beat.beat());
  }

  #subscribe(): void {
    this.#world.bus.listeners.set(this.link, {
      onClaim: (agentId, stored) => this.#store.heard(agentId, stored),
      onRequest: (request) => {
        this.#inbox.push(request);
        this.#wake();
      },
    });
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

  /** The requests that the bus delivers, as long as this life lasts. */
  async *#deliveries(): AsyncGenerator<RequestDelivery> {
    for (;;) {
      const request = this.#inbox.shift();
      if (request) yield await this.#delivery(request);
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }

  async #delivery(request: StoredRequest): Promise<RequestDelivery> {
    const { data, streamSeq, deliveries } = request;
    const ack = () => this.link.call(() => void (request.isAcked = true));
    const { ackAfterRecord } = this.#world.rules;
    if (!ackAfterRecord) await ack().catch(() => {});
    return {
      data,
      streamSeq,
      isAgain: deliveries > 1,
      replyTo: null,
      ack: ackAfterRecord ? ack : async () => {},
      again() {},
    };
  }

  async #insist<T>(ask: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await ask();
      } catch {
        await pause(this.#deps.ports.clock, times.againMs);
      }
    }
  }
}
