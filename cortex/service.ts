/** Cortex: takes requests, starts each when there is room, and sees it to its end. Puts its parts together. */
import type { Claim } from "../bus/claims/claims.ts";
import type { InputAccess } from "../bus/runs/control.ts";
import type { RequestDelivery } from "../bus/runs/requests.ts";
import type { GrantAnswer, GrantRequest } from "../protocol/runs/request/grant.ts";
import type { NoticeAnswer, PermissionNotice } from "../protocol/runs/request/permission-notice.ts";
import type { MeteringAnswer, MeteringNotice } from "../protocol/runs/metering.ts";
import type { RunInput, Status } from "../protocol/runs/subjects.ts";
import { ClaimSync } from "./claim-sync.ts";
import { OwnershipCheck } from "./claims/ownership-check.ts";
import type { CortexDeps } from "./deps.ts";
import { Dispatcher } from "./dispatcher.ts";
import { Ids } from "./intake/ids.ts";
import { RequestIntake } from "./intake/request-intake.ts";
import { RequestErasure } from "./intake/request-erasure.ts";
import type { LiveRun } from "./lifecycle/live-run.ts";
import { Finalizer } from "./finalization/finalizer.ts";
import { type RunContext, runContext } from "./run-scope/run-context.ts";
import { Starter } from "./lifecycle/starter.ts";
import { UnreadableRuns } from "./finalization/unreadable-runs.ts";
import { BusRetry } from "./model/bus-retry.ts";
import { RunRegistry } from "./run-registry.ts";
import { StatusFile } from "./status-file.ts";
import { liveStatusOf, statusOf } from "./status-of.ts";

export class Cortex {
  readonly #deps: CortexDeps;
  readonly #retry: BusRetry;
  readonly #registry: RunRegistry;
  readonly #dispatcher: Dispatcher;
  readonly #claimSync: ClaimSync;
  readonly #intake: RequestIntake;
  readonly #status: StatusFile;
  readonly erasure: RequestErasure;
  /** Runs whose file can't be handled. */
  readonly unreadable: UnreadableRuns;
  /** Gives the bus what it lacks of ended runs. */
  readonly finalizer: Finalizer;
  /** The starter, which makes runs of requests. */
  readonly starter: Starter;
  /** The context of a run in this cortex. */
  readonly context: RunContext;
  #isStopping = false;

  constructor(deps: CortexDeps) {
    this.#deps = deps;
    const { host, shared, log, settings, personas } = deps;
    const { clock, files, requests } = deps.ports;
    // Each part picks what it needs of them.
    const all = { ...deps.ports, ...host, ...shared, log, settings, personas };
    const retry = new BusRetry(log, clock);
    const insist = <T>(ask: () => Promise<T>) => retry.untilAnswered(ask);
    const isWaiting = (agentId: string) => this.#dispatcher.isWaiting(agentId);
    const lose = (agentId: string) => this.lose(agentId);
    const onChange = () => void this.#status.changed();
    const ownership = new OwnershipCheck(all, { insist, isGivingUp: () => retry.isGivingUp });
    const ids = new Ids({ ...all, isWaiting });
    const registry = new RunRegistry({
      log,
      onEnd: (run) => this.#ended(run),
      onRoom: () => this.#dispatcher.startWaiting(),
    });
    this.#retry = retry;
    this.#registry = registry;
    this.erasure = new RequestErasure(requests);
    this.unreadable = new UnreadableRuns(all);
    this.finalizer = new Finalizer({
      ...all,
      erasure: this.erasure,
      unreadable: this.unreadable,
      mayEnd: (agentId) => ownership.mayEnd(agentId),
      lose,
    });
    const isStopping = () => this.#isStopping;
    this.context = runContext(all, { host, ids, ownership, isStopping, onChange });
    const starter = () => this.starter;
    this.#dispatcher = new Dispatcher({ ...all, registry, retry, starter, onChange });
    const dispatcher = this.#dispatcher;
    this.#claimSync = new ClaimSync({ ...all, dispatcher, registry, ownership, finalizer: this.finalizer });
    this.#intake = new RequestIntake({
      ...all,
      ids,
      erasure: this.erasure,
      waiting: () => dispatcher.queued,
      enqueue: (waiting) => dispatcher.enqueue(waiting),
    });
    this.starter = new Starter(all, {
      context: this.context,
      finalizer: this.finalizer,
      takeUp: (run, go) => registry.takeUp(run, go),
      insist,
      isWaiting,
    });
    this.#status = new StatusFile(files, log, () => this.#liveStatus());
    this.#followBus();
  }

  #followBus(): void {
    const { log } = this.#deps;
    const { publisher } = this.#deps.ports;
    const { bus, claims } = this.#deps.shared;
    bus.onReconnect(() => {
      claims.lostTrack();
      for (const run of this.#registry.runs) run.fallBehind();
    });
    publisher.onMissing((agentId) => {
      log.warn({ agent_id: agentId }, "the bus has lost something of a run; it is published again");
      const run = this.#registry.get(agentId);
      if (!run) return this.finalizer.finalizeRun(agentId);
      run.fallBehind();
      run.catchUp();
    });
  }

  get capacity(): number {
    return this.#dispatcher.capacity;
  }

  /** From now on requests are started. */
  open(): void {
    this.context.host.diskWatch.checkSpace(); // which makes the reserve, before the first run can need it
    this.#dispatcher.open();
  }

  /** After the bus was away: makes sure of what is ours, and lets go of what isn't. @throws Error when the bus doesn't answer */
  confirm(): Promise<void> {
    return this.#claimSync.confirm();
  }

  /** The bus takes this worker's word again: runs that are still ours go on where it stopped. */
  async resume(): Promise<void> {
    for (const run of this.#registry.runs) run.catchUp();
    this.finalizer.resume();
    this.#dispatcher.startWaiting();
  }

  /** Takes a stored request. @throws Error when it has to be delivered again */
  accept(delivery: RequestDelivery): Promise<void> {
    return this.#intake.handleDelivery(delivery);
  }

  claimChanged(agentId: string, claim: Claim): void {
    this.#claimSync.claimChanged(agentId, claim);
  }

  adoptOrphans(): Promise<void> {
    return this.#claimSync.adoptOrphans();
  }

  /** Follows a run to its end. */
  takeUp(run: LiveRun, go: () => Promise<void>): void {
    this.#registry.takeUp(run, go);
  }

  cancel(agentId: string): void {
    this.#registry.tellRun(agentId, { type: "stop", reason: "cancelled", error: "cancelled" });
    if (!this.#dispatcher.cancel(agentId)) this.#claimSync.learnQueued(agentId);
  }

  input(agentId: string, { text, id, attachments }: RunInput, from: InputAccess): void {
    const more = { ...(id !== undefined && { id }), ...(attachments !== undefined && { attachments }) };
    this.#registry.tellRun(agentId, { type: "input", text, from, ...more });
  }

  grant(agentId: string, request: GrantRequest): Promise<GrantAnswer | null> {
    return this.#registry.grant(agentId, request);
  }

  permission(agentId: string, notice: PermissionNotice): Promise<NoticeAnswer | null> {
    return this.#registry.permission(agentId, notice);
  }

  metering(agentId: string, notice: MeteringNotice): Promise<MeteringAnswer | null> {
    return this.#registry.metering(agentId, notice);
  }

  #ended(run: LiveRun): void {
    if (run.state === "closed") this.finalizer.finalizeRun(run.agentId);
    if (run.state === "fenced") this.lose(run.agentId);
  }

  /** Drops what this worker keeps of a run that belongs to another worker now; its file becomes a mirrored copy. */
  lose(agentId: string): void {
    this.#deps.ports.files.dropFolder(agentId);
    this.#deps.shared.mirror?.lost(agentId);
  }

  status(): Status {
    return statusOf(this.#deps.host.worker, this.#registry.runs, this.#dispatcher.queued, this.capacity);
  }

  #liveStatus() {
    const { workers } = this.#claimSync;
    const { settings, shared } = this.#deps;
    return liveStatusOf(this.status(), this.#registry.runs, this.#dispatcher.waiting, { ...shared, settings, workers });
  }

  /**
   * Takes nothing new, lets runs finish for the grace, then stops what is left: the next start takes it up again.
   * @param graceSeconds how long runs may go on
   */
  async stop(graceSeconds: number): Promise<void> {
    this.#isStopping = true;
    this.#dispatcher.close();
    const isIdle = this.#registry.idle();
    const timer = setTimeout(() => this.#stopRuns(), graceSeconds * 1000);
    await isIdle;
    clearTimeout(timer);
    await this.finalizer.settled();
    await this.#status.changed();
  }

  /** Kills what is left, at once. */
  kill(): void {
    this.#stopRuns();
    for (const run of this.#registry.runs) run.kill();
  }

  #stopRuns(): void {
    this.#retry.giveUp();
    for (const run of this.#registry.runs)
      void run.step({ type: "stop", reason: "shutdown", error: "stopped with cortex" });
  }
}
