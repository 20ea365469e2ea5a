/** Cortex: takes requests, starts each when there is room, and sees it to its end. */
import { availableParallelism } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import type { Claim } from "../bus/claims/claims.ts";
import type { Bus } from "../bus/connection/connect.ts";
import type { Speaker } from "../bus/runs/control.ts";
import type { EventPublisher } from "../bus/events/events.ts";
import type { Ledger } from "../bus/claims/ledger.ts";
import { type Delivery, storedRequest } from "../bus/runs/requests.ts";
import type { Worker, WorkerLeases } from "../bus/claims/workers.ts";
import { hasRoom } from "../files/free-space.ts";
import type { LiveStatus } from "../journal/programs/live-status.ts";
import { dropRunFolder } from "../journal/runs/run-folder.ts";
import { isMirrored } from "../journal/runs/mirrored-run.ts";
import { runState } from "../journal/runs/run-files.ts";
import type { WatchedPersonas } from "../personas/watch.ts";
import type { Isolation } from "../proc/runs/isolation.ts";
import { machineBytes } from "../proc/os/machine.ts";
import type { Logger } from "../proc/logging/log.ts";
import { isBuiltInBackend } from "../protocol/settings/backends.ts";
import type { GrantAnswer, GrantRequest } from "../protocol/runs/grant.ts";
import { AgentId } from "../protocol/names/names.ts";
import type { Settings } from "../protocol/settings/settings.ts";
import type { Status } from "../protocol/runs/subjects.ts";
import { defaultBackend, keysIn } from "./plan/backend-choice.ts";
import type { Claims } from "./claims/claims.ts";
import { EarlyWords } from "./intake/early-words.ts";
import { addInput } from "./model/input-bounds.ts";
import { giveUpGone } from "./intake/give-up.ts";
import { Ids } from "./intake/ids.ts";
import { LiveRun } from "./lifecycle/live-run.ts";
import { Owed } from "./lifecycle/owed.ts";
import { concerns } from "./claims/ownership.ts";
import { OwnershipCheck } from "./claims/ownership-check.ts";
import type { Mirror } from "./replication/mirror.ts";
import { type Waiting, RequestQueue } from "./intake/queue.ts";
import { readRequest } from "./intake/read-request.ts";
import { Reception } from "./intake/reception.ts";
import { defaultResources, lowered } from "./plan/resource-limits.ts";
import { DiskWatch } from "./limits/disk-watch.ts";
import { ResourceWatch } from "./limits/resource-watch.ts";
import type { RunContext } from "./lifecycle/run-context.ts";
import { Starter } from "./lifecycle/starter.ts";
import type { Spending } from "./limits/spending.ts";
import { SpentRequests } from "./intake/spent-requests.ts";
import { expectedKind } from "./process/start-process.ts";
import { StatusFile } from "./status-file.ts";
import type { Input } from "./model/run-state.ts";
import { runsForFile, waitingForFile, statusOf } from "./status-of.ts";
import { reached } from "../proc/programs/durable-point.ts";
import { UnreadableRuns } from "./lifecycle/unreadable-runs.ts";
import type { Kind, WarmPool } from "./process/warm-pool.ts";

/** How long a step that the bus didn't answer waits until it is tried again. */
const againMs = 500;

/** How often a full disk is looked at again. */
const roomMs = 2000;

export type CortexParts = {
  journal: string;
  worker: string;
  timeZone: string;
  bus: Bus;
  /** Whether the bus is this journal's own: then nobody else can have taken a run over while it was away. */
  isPrivateBus: boolean;
  publisher: EventPublisher;
  ledger: Ledger;
  spending: Spending;
  claims: Claims;
  leases: WorkerLeases;
  /** Keeps the other workers' files here, where that is wanted. */
  mirror: Pick<Mirror, "arrived" | "lost"> | null;
  isolation: Isolation;
  log: Logger;
  settings: () => Settings;
  personas: Pick<WatchedPersonas, "get" | "all" | "problems">;
  warm: WarmPool;
};

export class Cortex {
  readonly #parts: CortexParts;
  readonly #queue = new RequestQueue();
  /** Those that only another worker can run, as things are: settings change, and workers come and go. */
  readonly #passedOver = new Map<string, Waiting>();
  readonly #runs = new Map<string, LiveRun>();
  /** Ids that are being started, with what was said to them meanwhile. */
  readonly #busy = new Map<string, Input[]>();
  /** What was said to requests before they arrived here, or while they wait. */
  readonly #early = new EarlyWords();
  readonly #ownership: OwnershipCheck;
  readonly spent: SpentRequests;
  /** Runs whose file can't be handled. */
  readonly unreadable: UnreadableRuns;
  /** What ended runs owe to the bus. */
  readonly owed: Owed;
  /** What makes runs of requests. */
  readonly starter: Starter;
  /** What a run needs of this cortex. */
  readonly host: RunContext;
  readonly #ids: Ids;
  readonly #status: StatusFile;
  /** All that there are, when there is more than this one. */
  #workers: Worker[] = [];
  readonly #reception: Reception;
  #learning: Promise<void> = Promise.resolve();
  /** Nothing starts before what was left has been taken up. */
  #isOpen = false;
  #isStopping = false;
  #roomTimer: NodeJS.Timeout | undefined;
  /** The runs' grace is over: nothing waits for the bus any longer. */
  #isGivingUp = false;
  #onIdle = () => {};

  constructor(parts: CortexParts) {
    this.#parts = parts;
    const { journal, ledger, log } = parts;
    const insist = <T>(ask: () => Promise<T>) => this.insist(ask);
    this.#ownership = new OwnershipCheck(parts, { insist, isGivingUp: () => this.#isGivingUp });
    const mayEnd = (agentId: string) => this.#ownership.mayEnd(agentId);
    this.spent = new SpentRequests(parts.bus);
    this.unreadable = new UnreadableRuns(parts);
    this.owed = new Owed({
      ...parts,
      spent: this.spent,
      unreadable: this.unreadable,
      mayEnd,
      lose: (agentId) => this.lose(agentId),
    });
    this.#ids = new Ids(journal, ledger, log, (agentId) => this.#isWaiting(agentId));
    this.#reception = new Reception({
      ...parts,
      ids: this.#ids,
      spent: this.spent,
      waiting: () => this.#queued,
      enqueue: (waiting) => this.enqueue(waiting),
    });
    this.host = this.#hostOfRuns();
    this.starter = new Starter(parts, {
      host: this.host,
      owed: this.owed,
      takeUp: (run, go) => this.takeUp(run, go),
      insist,
      isWaiting: (agentId) => this.#isWaiting(agentId),
    });
    this.#status = new StatusFile(journal, log, () => this.#liveStatus());
    parts.bus.onReconnect(() => {
      parts.claims.lostTrack();
      for (const run of this.#runs.values()) run.fallBehind();
    });
    parts.publisher.onMissing((agentId) => {
      log.warn({ agent_id: agentId }, "the bus has lost something of a run; it is published again");
      const run = this.#runs.get(agentId);
      if (!run) return this.owed.pay(agentId);
      run.fallBehind();
      run.catchUp();
    });
  }

  /** How many runs there may be at once. */
  get capacity(): number {
    return this.#parts.settings().max_concurrent ?? 2 * availableParallelism();
  }

  /** How many wait, whoever may run them. */
  get #queued(): number {
    return this.#queue.size + this.#passedOver.size;
  }

  /** From now on requests are started. */
  open(): void {
    this.#isOpen = true;
    this.host.diskWatch.look(); // which makes the reserve, before the first run can need it
    this.#pump();
  }

  /** Has a process wait for the first run that wants nothing special. */
  warmUp(): void {
    this.#parts.warm.expect(() => this.#expectedKind());
  }

  /** What such a run takes, as the settings are now. Null: a program that can't wait. */
  #expectedKind(): Kind | null {
    const settings = this.#parts.settings();
    const { isolation, resources: most } = this.host;
    const name = defaultBackend(settings, process.env);
    if (!isBuiltInBackend(name) || Object.hasOwn(settings.backends ?? {}, name)) return null;
    const resources = { ...most, ...lowered(settings.limits ?? {}, settings.limits, most).limits };
    return expectedKind(name, { settings, isolation, resources });
  }

  /** After the bus was away: makes sure of what is ours, and lets go of what isn't. @throws Error when the bus doesn't answer */
  async confirm(): Promise<void> {
    const { claims } = this.#parts;
    await claims.confirmAll();
    for (const agentId of [...this.#runs.keys(), ...this.#busy.keys(), ...this.owed.ids]) {
      if (await this.#ownership.isOurs(agentId)) continue;
      claims.bar(agentId); // at once: the run itself may hear of it while it says something
      void this.#runs.get(agentId)?.step({ type: "fenced" });
    }
  }

  /** The bus takes this worker's word again: runs that are still ours go on where it stopped. */
  async resume(): Promise<void> {
    for (const run of this.#runs.values()) run.catchUp();
    this.owed.resume();
    this.#pump();
  }

  /** Takes a stored request. @throws Error when it has to be delivered again */
  accept(delivery: Delivery): Promise<void> {
    return this.#reception.take(delivery);
  }

  /** Puts a recorded request into the queue, unless it has become a run already, or another worker has to take it. */
  enqueue(waiting: Waiting): void {
    const { agentId } = waiting;
    const { journal, claims } = this.#parts;
    if (this.#runs.has(agentId) || this.#busy.has(agentId)) return;
    if (runState(journal, agentId) !== "absent" && !isMirrored(journal, agentId)) return;
    if (this.#early.has(agentId, "stop")) return void this.#endCancelled(waiting);
    if (!this.#suits(waiting)) {
      if (claims.get(agentId)?.state === "queued") this.#passedOver.set(agentId, waiting);
      else this.#passedOver.delete(agentId); // another has taken it meanwhile
      return void this.#status.changed();
    }
    this.#passedOver.delete(agentId);
    this.#queue.add(waiting);
    this.#pump();
  }

  /** Whether this worker has what a request wants: its labels, and the run that it continues from. */
  #suits({ request }: Waiting): boolean {
    const { journal, settings, mirror, leases } = this.#parts;
    const own = new Set(settings().labels);
    if (!(request.labels ?? []).every((label) => own.has(label))) return false;
    const source = AgentId.safeParse(request.continue_from).data;
    // Who keeps all files, or is alone, says of one that isn't there that it isn't.
    return source === undefined || mirror !== null || leases.isAlone || runState(journal, source) !== "absent";
  }

  /** A claim has changed on the bus. */
  claimChanged(agentId: string, claim: Claim): void {
    const { worker } = this.#parts;
    const isOurs = concerns(claim, worker);
    if (isOurs && !this.#isKnown(agentId)) this.learn(agentId, claim);
    if (!isOurs) this.#queue.take(agentId);
    if (claim.state !== "queued" && this.#passedOver.delete(agentId)) void this.#status.changed();
    if (claim.state === "ended") this.#pump();
  }

  /** Fetches a request that another worker has recorded, or this one in an earlier life. */
  learn(agentId: string, claim: Claim): void {
    const { bus, journal, ledger, claims, log } = this.#parts;
    this.#learning = this.#learning.then(async () => {
      if (this.#isKnown(agentId)) return;
      // What has begun here is taken up from its files.
      if (runState(journal, agentId) !== "absent" && !isMirrored(journal, agentId)) return;
      try {
        const entry = await ledger.entry(agentId);
        // A damaged bus may show a claim again as it once was.
        if (entry?.ended && claim.state === "queued") {
          if (await claims.take(agentId)) await claims.end(agentId);
          return;
        }
        const data = await storedRequest(bus, claim.stream_seq);
        const reading = data && readRequest(data);
        // A stream that was cut off uses its places again: what stands there now may be another's.
        const isIt = reading?.ok && (entry === null || entry.hash === reading.hash);
        if (isIt) this.enqueue({ agentId, request: reading.request, streamSeq: claim.stream_seq });
        else await giveUpGone(this.#parts, agentId, claim.stream_seq);
      } catch (error) {
        log.warn({ agent_id: agentId, err: error }, "a waiting request couldn't be read");
        setTimeout(() => this.learn(agentId, claim), againMs).unref();
      }
    });
  }

  /** Takes up what workers that are gone had, where there is room. */
  async adoptOrphans(): Promise<void> {
    const { leases, claims } = this.#parts;
    for (const waiting of this.#passedOver.values()) this.enqueue(waiting);
    this.#workers = leases.isAlone ? [] : await leases.all();
    await claims.learnOthers();
    for (const agentId of await claims.orphaned()) {
      const claim = claims.get(agentId);
      if (claim && !this.#isKnown(agentId)) this.learn(agentId, claim);
    }
  }

  #isKnown(agentId: string): boolean {
    return this.#queue.has(agentId) || this.#runs.has(agentId) || this.#busy.has(agentId);
  }

  /** Sees a run to its end. */
  takeUp(run: LiveRun, go: () => Promise<void>): void {
    this.#runs.set(run.agentId, run);
    void this.#follow(run, go());
    for (const input of this.#busy.get(run.agentId) ?? []) void run.step(input);
  }

  cancel(agentId: string): void {
    this.#say(agentId, { type: "stop", reason: "cancelled", error: "cancelled" });
    const waiting = this.#queue.take(agentId);
    if (waiting) return void this.#endCancelled(waiting);
    const claim = this.#parts.claims.get(agentId);
    if (claim?.state === "queued") this.learn(agentId, claim); // it waits for another worker, which may never come
  }

  input(agentId: string, text: string, from: Speaker): void {
    this.#say(agentId, { type: "input", text, from });
  }

  /** Gives a share of a run's limits to somebody whom it sends off. Null: it isn't at work here. */
  async grant(agentId: string, request: GrantRequest): Promise<GrantAnswer | null> {
    return (await this.#runs.get(agentId)?.grant(request)) ?? null;
  }

  #say(agentId: string, input: Input): void {
    const run = this.#runs.get(agentId);
    const beingStarted = this.#busy.get(agentId);
    if (run) void run.step(input);
    else if (beingStarted) addInput(beingStarted, input);
    else this.#early.keep(agentId, input);
  }

  #hostOfRuns(): RunContext {
    const { journal, worker, timeZone, settings, isolation, publisher, spending, log, personas } = this.#parts;
    return {
      journal,
      worker,
      timeZone,
      settings,
      isolation,
      resources: defaultResources(machineBytes()),
      resourceWatch: new ResourceWatch(),
      diskWatch: new DiskWatch(journal, log),
      warm: this.#parts.warm,
      publisher,
      spending,
      log,
      personaOf: (name) => personas.get(name),
      reserveId: (parent, request, length) => this.#ids.reserve(parent, request, length),
      mayStart: (agentId, attempt) => this.#ownership.mayStart(agentId, attempt),
      mayEnd: (agentId) => this.#ownership.mayEnd(agentId),
      isStopping: () => this.#isStopping,
      onChange: () => void this.#status.changed(),
    };
  }

  /** Asks until the bus answers. @throws Error when cortex stops before it does */
  async insist<T>(ask: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (this.#isGivingUp) throw error;
        this.#parts.log.debug({ err: error }, "the bus doesn't answer yet");
        await delay(againMs);
      }
    }
  }

  status(): Status {
    return statusOf(this.#parts.worker, [...this.#runs.values()], this.#queued, this.capacity);
  }

  /**
   * Takes nothing new, lets runs finish for the grace, then stops what is left: the next start takes it up again.
   * @param graceSeconds how long runs may go on
   */
  async stop(graceSeconds: number): Promise<void> {
    this.#isStopping = true;
    const isIdle = new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
    this.#checkIdle();
    const timer = setTimeout(() => this.#giveUp(), graceSeconds * 1000);
    await isIdle;
    clearTimeout(timer);
    await this.owed.settled();
    await this.#status.changed();
  }

  /** Kills what is left, at once. */
  kill(): void {
    this.#giveUp();
    for (const run of this.#runs.values()) run.kill();
  }

  #giveUp(): void {
    this.#isGivingUp = true;
    for (const run of this.#runs.values())
      void run.step({ type: "stop", reason: "shutdown", error: "stopped with cortex" });
  }

  #pump(): void {
    const { journal, settings } = this.#parts;
    // Each by itself: what runs print may stand on a disk of its own.
    if (hasRoom(journal, settings().min_free_bytes) && this.host.diskWatch.mayStart()) this.#startNext();
    else this.#pumpLater();
    void this.#status.changed();
  }

  #startNext(): void {
    while (this.#isOpen && !this.#isStopping && this.#runs.size + this.#busy.size < this.capacity) {
      const waiting = this.#queue.take();
      if (!waiting) break;
      void this.#start(waiting);
    }
  }

  /** On a full disk what was accepted waits until there is room again. */
  #pumpLater(): void {
    if (this.#queue.size === 0 || this.#isStopping) return;
    clearTimeout(this.#roomTimer);
    this.#roomTimer = setTimeout(() => this.#pump(), roomMs).unref();
  }

  /** Takes a request that waited, claims its file, and starts it. */
  async #start(waiting: Waiting): Promise<void> {
    const { agentId, request, streamSeq } = waiting;
    const { log, claims } = this.#parts;
    this.#busy.set(agentId, this.#early.take(agentId));
    try {
      if (!(await this.#obtain(waiting))) {
        for (const input of this.#busy.get(agentId) ?? []) this.#early.keep(agentId, input);
        return;
      }
      reached("taken");
      // Whoever has just heard its last word may go on from it.
      if (request.continue_from !== undefined) await this.#parts.mirror?.arrived(request.continue_from);
      await this.starter.start(agentId, { request, streamSeq }, claims.before(agentId));
    } catch (error) {
      log.error({ agent_id: agentId, err: error }, "a run couldn't be started");
      setTimeout(() => this.enqueue(waiting), againMs).unref();
    } finally {
      this.#busy.delete(agentId);
      this.#pump();
      this.#checkIdle();
    }
  }

  /** Takes a request for this worker; resolves with whether it has it. What the bus doesn't answer is tried again later. */
  async #obtain(waiting: Waiting): Promise<boolean> {
    const { claims, settings, log } = this.#parts;
    const { agentId } = waiting;
    try {
      if (!(await this.#take(agentId))) return false;
      const most = settings().max_concurrent_total;
      if (most === undefined || (await claims.isAmongFirst(agentId, most))) return true;
      await claims.release(agentId);
    } catch (error) {
      log.warn({ agent_id: agentId, err: error }, "a request couldn't be taken; it is tried again");
    }
    setTimeout(() => this.enqueue(waiting), againMs).unref();
    return false;
  }

  /** Takes a claim, unless it was made again of a run that has ended: by a worker that slept over its end. */
  async #take(agentId: string): Promise<boolean> {
    const { claims, ledger } = this.#parts;
    if (!(await claims.take(agentId))) return false;
    if (!(await ledger.entry(agentId))?.ended) return true;
    await claims.end(agentId);
    return false;
  }

  /** Ends a request that was cancelled while it waited, if it is still to be had. */
  async #endCancelled({ agentId, request, streamSeq }: Waiting): Promise<void> {
    const { log } = this.#parts;
    this.#busy.set(agentId, []);
    try {
      if (await this.insist(() => this.#take(agentId))) await this.#endTaken({ agentId, request, streamSeq });
      void this.#status.changed();
    } catch (error) {
      log.error({ agent_id: agentId, err: error }, "a waiting request couldn't be ended");
    } finally {
      this.#busy.delete(agentId);
      this.#pump();
      this.#checkIdle();
    }
  }

  /** What another worker may have begun is taken up first: its file has lines already, and something of it may be owed. */
  #endTaken(waiting: Waiting): Promise<void> {
    const { agentId, request } = waiting;
    if (!this.#parts.claims.before(agentId).isTakenOver) return this.starter.endCancelled(agentId, request);
    this.#early.keep(agentId, { type: "stop", reason: "cancelled", error: "cancelled" });
    return this.#start(waiting);
  }

  async #follow(run: LiveRun, end: Promise<void>): Promise<void> {
    const { log } = this.#parts;
    try {
      await end;
      if (run.state === "closed") this.owed.pay(run.agentId);
      if (run.state === "fenced") this.lose(run.agentId);
    } catch (error) {
      log.error({ agent_id: run.agentId, err: error }, "a run couldn't be followed");
    } finally {
      this.#runs.delete(run.agentId);
      this.#pump();
      this.#checkIdle();
    }
  }

  /** A run isn't this worker's any more: nothing of it is owed here, and it is as any of the others' runs. */
  lose(agentId: string): void {
    const { journal, mirror } = this.#parts;
    dropRunFolder(journal, agentId);
    mirror?.lost(agentId);
  }

  #isWaiting(agentId: string): boolean {
    return this.#queue.has(agentId) || this.#busy.has(agentId) || this.#parts.claims.open.has(agentId);
  }

  #checkIdle(): void {
    if (this.#isStopping && this.#runs.size === 0 && this.#busy.size === 0) this.#onIdle();
  }

  /** The same, with what commands want to know. */
  #liveStatus(): LiveStatus {
    return {
      ...this.status(),
      pid: process.pid,
      running: runsForFile([...this.#runs.values()]),
      labels: this.#parts.settings().labels ?? [],
      workers: this.#workers,
      bus_ignores: this.#parts.bus.configDrift.differences,
      keys: keysIn(process.env),
      default_backend: defaultBackend(this.#parts.settings(), process.env),
      waiting: waitingForFile(
        [...this.#queue.all(), ...this.#passedOver.values()],
        defaultBackend(this.#parts.settings(), process.env),
      ),
    };
  }
}
