/** Starts the requests that wait: each when there is room for it, and once this worker alone has taken it. */
import { availableParallelism } from "node:os";
import { failpoint } from "../proc/programs/failpoint.ts";
import { AgentId } from "../protocol/names/names.ts";
import type { CortexDeps, SharedDeps } from "./deps.ts";
import { RequestQueue, type WaitingRequest } from "./intake/queue.ts";
import type { Starter } from "./lifecycle/starter.ts";
import type { DiskWatch } from "./limits/disk-watch.ts";
import { type BusRetry, busRetryMs } from "./model/bus-retry.ts";
import type { Ports } from "./ports/ports.ts";
import type { RunRegistry } from "./run-registry.ts";
import { takeClaim, takeRequest } from "./take-request.ts";

/** Milliseconds after which a full disk is looked at again. */
const roomMs = 2000;

/** A run that waits for a person has a process all the same: of all there are at most so many times the capacity. */
const mostTimesCapacity = 4;

export type DispatcherDeps = Pick<Ports, "clock" | "files" | "ledger" | "leases"> &
  Pick<SharedDeps, "claims" | "mirror"> &
  Pick<CortexDeps, "settings" | "log"> & {
    registry: RunRegistry;
    retry: BusRetry;
    diskWatch: Pick<DiskWatch, "mayStart">;
    starter: () => Starter;
    /** Hears that what waits has changed. */
    onChange: () => void;
  };

export class Dispatcher {
  readonly #deps: DispatcherDeps;
  readonly #queue = new RequestQueue();
  /** The requests that only another worker can run, as things are: settings change, and workers come and go. */
  readonly #passedOver = new Map<string, WaitingRequest>();
  /** Nothing starts before what was left has been taken up. */
  #isOpen = false;
  #roomTimer: Disposable | undefined;

  constructor(deps: DispatcherDeps) {
    this.#deps = deps;
  }

  /** How many runs there may be at once. */
  get capacity(): number {
    return this.#deps.settings().max_concurrent ?? 2 * availableParallelism();
  }

  /** How many wait, whoever may run them. */
  get queued(): number {
    return this.#queue.size + this.#passedOver.size;
  }

  /** The requests that wait, whoever may run them. */
  get waiting(): WaitingRequest[] {
    return [...this.#queue.all(), ...this.#passedOver.values()];
  }

  has(agentId: string): boolean {
    return this.#queue.has(agentId);
  }

  /** Whether an id belongs to a request that has no file yet. */
  isWaiting(agentId: string): boolean {
    const { registry, claims } = this.#deps;
    return this.#queue.has(agentId) || registry.isStarting(agentId) || claims.open.has(agentId);
  }

  /** From now on requests are started. */
  open(): void {
    this.#isOpen = true;
    this.startWaiting();
  }

  /** From now on none is. */
  close(): void {
    this.#isOpen = false;
    this.#roomTimer?.[Symbol.dispose]();
  }

  /** Puts a recorded request into the queue, unless it has become a run already, or another worker has to take it. */
  enqueue(waiting: WaitingRequest): void {
    const { agentId } = waiting;
    const { files, claims, registry } = this.#deps;
    if (registry.has(agentId)) return;
    if (files.state(agentId) !== "absent" && !files.isMirrored(agentId)) return;
    if (registry.pending.has(agentId, "stop")) return void this.#endCancelled(waiting);
    if (!this.#suits(waiting)) {
      if (claims.get(agentId)?.state === "queued") this.#passedOver.set(agentId, waiting);
      else this.#passedOver.delete(agentId); // another has taken it meanwhile
      return this.#deps.onChange();
    }
    this.#passedOver.delete(agentId);
    this.#queue.add(waiting);
    this.startWaiting();
  }

  /** Looks again at those that only another worker could run. */
  reconsider(): void {
    for (const waiting of this.#passedOver.values()) this.enqueue(waiting);
  }

  /** Whether this worker has what a request wants: its labels, and the run that it continues from. */
  #suits({ request }: WaitingRequest): boolean {
    const { files, settings, mirror, leases } = this.#deps;
    const own = new Set(settings().labels);
    if (!(request.labels ?? []).every((label) => own.has(label))) return false;
    const source = AgentId.safeParse(request.continue_from).data;
    if (request.agent_history && request.agent !== undefined) {
      if (files.hasAgent(request.agent)) return true;
      // Nothing but the history has its summary.
      if (source === undefined && !leases.isAlone) return false;
    }
    // Who keeps all files, or is alone, says of one that isn't there that it isn't.
    return source === undefined || mirror !== null || leases.isAlone || files.state(source) !== "absent";
  }

  /** Another worker runs it. */
  drop(agentId: string): void {
    this.#queue.takeRequest(agentId);
  }

  /** It doesn't wait for another worker any more. */
  dropPassedOver(agentId: string): void {
    if (this.#passedOver.delete(agentId)) this.#deps.onChange();
  }

  /** Ends a request that waits here. Whether it does. */
  cancel(agentId: string): boolean {
    const waiting = this.#queue.takeRequest(agentId);
    if (waiting) void this.#endCancelled(waiting);
    return waiting !== undefined;
  }

  /** Starts as many as there is room for. */
  startWaiting(): void {
    const { files, settings, diskWatch, onChange } = this.#deps;
    // Each by itself: what runs print may stand on a disk of its own.
    if (files.hasRoom(settings().min_free_bytes) && diskWatch.mayStart()) this.#startNext();
    else this.#startLater();
    onChange();
  }

  #startNext(): void {
    while (this.#isOpen && this.#hasPlace) {
      const waiting = this.#queue.takeRequest();
      if (!waiting) break;
      void this.#start(waiting);
    }
  }

  /** Whether one more may start. Those that wait for a person, perhaps for a day, hold up nobody else. */
  get #hasPlace(): boolean {
    const { registry } = this.#deps;
    return registry.busy < this.capacity && registry.size < mostTimesCapacity * this.capacity;
  }

  /** On a full disk what was accepted waits until there is room again. */
  #startLater(): void {
    if (this.#queue.size === 0 || !this.#isOpen) return;
    this.#roomTimer?.[Symbol.dispose]();
    this.#roomTimer = this.#deps.clock.later(roomMs, () => this.startWaiting());
  }

  #enqueueLater(waiting: WaitingRequest): void {
    this.#deps.clock.later(busRetryMs, () => this.enqueue(waiting));
  }

  /** Takes a request that waited, claims its file, and starts it. */
  #start(waiting: WaitingRequest): Promise<void> {
    const { agentId, request, streamSeq } = waiting;
    const { log, claims, mirror, registry, starter } = this.#deps;
    return registry.whileStarting(agentId, registry.pending.takeControls(agentId), async () => {
      try {
        const outcome = await takeRequest(this.#deps, agentId);
        if (outcome !== "taken") {
          if (outcome === "later") this.#enqueueLater(waiting);
          for (const input of registry.saidMeanwhile(agentId)) registry.pending.keep(agentId, input);
          return;
        }
        failpoint("taken");
        // Whoever has just heard its terminal event may go on from it.
        if (request.continue_from !== undefined) await mirror?.arrived(request.continue_from);
        await starter().start(agentId, { request, streamSeq }, claims.before(agentId));
      } catch (error) {
        log.error({ agent_id: agentId, err: error }, "a run couldn't be started");
        this.#enqueueLater(waiting);
      }
    });
  }

  /** Ends a request that was cancelled while it waited, if it is still to be had. */
  #endCancelled(waiting: WaitingRequest): Promise<void> {
    const { agentId } = waiting;
    const { log, registry, retry, onChange } = this.#deps;
    return registry.whileStarting(agentId, [], async () => {
      try {
        if (await retry.untilAnswered(() => takeClaim(this.#deps, agentId))) await this.#endTaken(waiting);
        onChange();
      } catch (error) {
        log.error({ agent_id: agentId, err: error }, "a waiting request couldn't be ended");
      }
    });
  }

  /**
   * Ends a cancelled request. One that another worker may have begun is taken up first: its file has lines already, and
   * something of it may be pending.
   */
  #endTaken(waiting: WaitingRequest): Promise<void> {
    const { agentId, request } = waiting;
    const { claims, registry, starter } = this.#deps;
    if (!claims.before(agentId).isTakenOver) return starter().endCancelled(agentId, request);
    registry.pending.keep(agentId, { type: "stop", reason: "cancelled", error: "cancelled" });
    return this.#start(waiting);
  }
}
