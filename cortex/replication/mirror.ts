/**
 * Keeps the files of other workers' runs in this journal, byte for byte, from the events of the bus. Lines that were cut for
 * the bus, or that it has lost, are fetched from the worker itself.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Claim } from "../../bus/claims/claims.ts";
import { eventFeed, eventStreamState, type FedEvent } from "../../bus/events/event-feed.ts";
import { SerialQueue } from "../../files/locks/serial-queue.ts";
import { mirroredRuns } from "../../journal/runs/mirrored-run.ts";
import { runState } from "../../journal/runs/run-files.ts";
import { AgentId } from "../../protocol/names/names.ts";
import { FeedPosition } from "./feed-position.ts";
import { LateEvents } from "./late-events.ts";
import { RunCopies, type RunCopiesDeps } from "./run-copies.ts";

/** Milliseconds after which the position is written again: as much is read again after a crash. */
const writeEveryMs = 1000;
/** Milliseconds after which a worker is asked again that doesn't answer. */
const askAgainMs = 5000;
/** Milliseconds for which `arrived` waits for the events that the bus already has. */
const arriveMs = 5000;

export class Mirror {
  readonly #deps: RunCopiesDeps;
  readonly #copies: RunCopies;
  readonly #late: LateEvents;
  readonly #position: FeedPosition;
  readonly #queue = new SerialQueue();

  constructor(deps: RunCopiesDeps) {
    const { journal, bus, log } = deps;
    this.#deps = deps;
    this.#copies = new RunCopies(deps);
    this.#late = new LateEvents(bus, log);
    this.#position = new FeedPosition(journal, bus);
  }

  /** Copies until `signal`. */
  async follow(signal: AbortSignal): Promise<void> {
    const { journal, bus, log } = this.#deps;
    for (const agentId of mirroredRuns(journal)) await this.#run(() => this.#copies.resume(agentId, true));
    const writing = setInterval(() => void this.#run(() => this.#writePosition()), writeEveryMs);
    const asking = setInterval(() => void this.#run(() => this.#copies.resumeAll()), askAgainMs);
    while (!signal.aborted) {
      try {
        await this.#position.find();
        for await (const fed of eventFeed(bus, this.#position.seq, signal)) await this.#run(() => this.#copyEvent(fed));
      } catch (error) {
        if (!signal.aborted) log.warn({ err: error }, "the events of other workers can't be read; trying again");
        await delay(writeEveryMs, undefined, { signal }).catch(() => {});
      }
    }
    clearInterval(writing);
    clearInterval(asking);
    await this.#run(() => this.#writePosition());
  }

  /** Waits until a run that has ended has its file here, or all that the bus has of it by now; not for long. */
  async arrived(agentId: string): Promise<void> {
    const { bus, journal } = this.#deps;
    if (!AgentId.safeParse(agentId).success) return; // not a run's id
    const { last } = await eventStreamState(bus);
    for (const end = performance.now() + arriveMs; performance.now() < end; await delay(20)) {
      if (runState(journal, agentId) === "ended") return;
      if (this.#position.seq >= last && !this.#copies.files.known(agentId)?.hasTerminal) return;
    }
  }

  /** A claim has changed on the bus: its run may have ended, or have another worker. */
  claimChanged(agentId: string, claim: Claim): void {
    const { is } = this.#copies.stateOf(agentId);
    if (claim.state === "ended" && is === "own") this.#copies.step(agentId, { type: "released" });
    if (claim.worker !== this.#deps.worker && (claim.state === "ended" || is === "waiting"))
      void this.#run(() => this.#copies.resume(agentId));
  }

  /** Another worker has a run that was this host's own: its events were left out until now, and are copied. */
  lost(agentId: string): void {
    void this.#run(() => {
      this.#copies.step(agentId, { type: "lost" });
      return this.#copies.resume(agentId);
    });
  }

  /** Runs one step after the other. A failed step is logged; a copy that lacks lines is resumed every few seconds. */
  #run(work: () => Promise<void>): Promise<void> {
    return this.#queue
      .run(work)
      .catch((error: unknown) => this.#deps.log.warn({ err: error }, "a copy of a run has to wait"));
  }

  async #copyEvent(fed: FedEvent): Promise<void> {
    if (!(await this.#late.drop(fed))) await this.#copies.copyEvent(fed);
    this.#position.seq = fed.position;
  }

  async #writePosition(): Promise<void> {
    await this.#copies.resumePassedOver();
    if (!this.#copies.areSafe || !this.#position.hasMoved) return;
    this.#copies.files.sync();
    await this.#position.write();
  }
}
