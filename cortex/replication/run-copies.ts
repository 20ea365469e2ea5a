/** The copies of other workers' runs: each has a state (`copy-state.ts`), and this carries out what is due in it. */
import type { WorkerLeases } from "../../bus/claims/workers.ts";
import type { FedEvent } from "../../bus/events/event-feed.ts";
import { storedEventLines } from "../../bus/events/event-history.ts";
import { isLate } from "../../bus/events/event-message.ts";
import { parseEventLine } from "../../journal/chain/event-line.ts";
import { isMirrored, isOwnRun, type MirroredRun } from "../../journal/runs/mirrored-run.ts";
import { runState } from "../../journal/runs/run-files.ts";
import { CopyFiles } from "./copy-files.ts";
import { type CopyInput, type CopyState, following, isSafeAfterCrash, nextCopyState } from "./copy-state.ts";
import { OriginalLines, type OriginalLinesDeps } from "./original-lines.ts";

/** After so long without its worker, an ended run is kept as the bus has it. */
const withoutWorkerMs = 600_000;

export type RunCopiesDeps = Omit<OriginalLinesDeps, "files"> & { journal: string; leases: WorkerLeases };

export class RunCopies {
  readonly #deps: RunCopiesDeps;
  readonly #states = new Map<string, CopyState>();
  readonly #original: OriginalLines;
  readonly files: CopyFiles;

  constructor(deps: RunCopiesDeps) {
    this.#deps = deps;
    this.files = new CopyFiles(deps.journal, deps.log);
    this.#original = new OriginalLines({ ...deps, files: this.files });
  }

  stateOf(agentId: string): CopyState {
    return this.#states.get(agentId) ?? following;
  }

  /** Takes an input, which changes the state as the table says. */
  step(agentId: string, input: CopyInput): void {
    const before = this.stateOf(agentId);
    const state = nextCopyState(before, input);
    if (state === before) return;
    if (state.is === "following") this.#states.delete(agentId);
    else this.#states.set(agentId, state);
    if (state.is !== before.is)
      this.#deps.log.debug({ agent_id: agentId, from: before.is, to: state.is, by: input.type }, "copy state");
  }

  /** Copies an event. */
  async copyEvent(fed: FedEvent): Promise<void> {
    const { agentId, epoch } = fed;
    if (await this.#isHeldHere(agentId)) return;
    const said = fed.read();
    if (!said) return;
    const { line, event } = said;
    const { seq } = event;
    const file = await this.files.open(agentId);
    if (!file) {
      if (!this.#deps.claims.isHeld(agentId)) this.step(agentId, { type: "leftOut", seq });
      return;
    }
    const state = this.stateOf(agentId);
    if (state.is === "lost") return; // the bus has it: read with all that was left out
    if (state.is === "waiting") return this.#lacks(agentId, seq);
    const inProgress = isMirrored(this.#deps.journal, agentId);
    if (inProgress && isLate(epoch, file.epoch)) return;
    // Another worker goes on from where the one before had come on the bus.
    if (inProgress && epoch > file.epoch && seq <= file.lines) await file.cutTo(seq - 1);
    if (seq > file.lines) await file.refresh(); // a run of our own may have got a line since
    if (seq > file.lines) {
      try {
        if (seq === file.lines + 1 && event["truncated"] !== true) this.files.append(file, line, epoch);
        else if (!(await this.#original.fetch(file, seq, epoch))) return this.#lacks(agentId, seq);
      } catch (error) {
        this.#lacks(agentId, seq);
        throw error;
      }
      this.#endIfOver(file);
    }
    this.step(agentId, { type: "complete" });
  }

  /**
   * Goes on with a copy: gets what it lacks, and ends it where its run has ended.
   * @param isAfterCrash whether nobody knows which of the bus's events of the run were seen
   */
  async resume(agentId: string, isAfterCrash = false): Promise<void> {
    const state = this.stateOf(agentId);
    switch (state.is) {
      case "own":
        return;
      case "lost":
        return this.#copyLost(agentId);
      case "passedOver":
        return this.#copyPassedOver(agentId, state.seq);
      case "waiting":
        return this.#getMissing(agentId, state.upTo);
      case "following": {
        const file = await this.files.open(agentId);
        if (!file) return;
        const isOver = !this.#deps.claims.open.has(agentId);
        if (isAfterCrash && isOver && !file.hasTerminal) await this.#getMissing(agentId, Infinity);
        else this.#endIfOver(file);
      }
    }
  }

  /** Goes on with every copy that isn't up to date. A copy whose worker stays away after its run's end is kept as it is. */
  async resumeAll(): Promise<void> {
    const { claims, leases } = this.#deps;
    for (const [agentId, { is }] of this.#states.entries().toArray()) {
      if (is === "own") continue;
      await this.resume(agentId);
      const state = this.stateOf(agentId);
      if (state.is !== "waiting" || claims.open.has(agentId) || performance.now() - state.since < withoutWorkerMs)
        continue;
      const owner = await this.#original.ownerOf(agentId);
      if (owner === null || !(await leases.isAlive(owner))) await this.#keepAsItIs(agentId);
    }
  }

  /** Goes on with the copies that were left out because of a folder that is gone by now. */
  async resumePassedOver(): Promise<void> {
    for (const [agentId, { is }] of this.#states.entries().toArray())
      if (is === "passedOver") await this.resume(agentId);
  }

  /** Whether all events so far are in files, or are asked for again after a crash. */
  get areSafe(): boolean {
    const { journal } = this.#deps;
    return [...this.#states].every(([agentId, state]) => isSafeAfterCrash(state, () => isMirrored(journal, agentId)));
  }

  /** Nearly all events that a host receives are of its own runs: the disk is asked once a run. */
  async #isHeldHere(agentId: string): Promise<boolean> {
    if (!this.#deps.claims.isHeld(agentId)) {
      this.step(agentId, { type: "released" });
      return false;
    }
    if (this.stateOf(agentId).is !== "own" && isOwnRun(this.#deps.journal, agentId)) {
      this.files.close(agentId);
      this.step(agentId, { type: "held" });
    }
    return this.stateOf(agentId).is === "own";
  }

  #lacks(agentId: string, upTo: number): void {
    this.step(agentId, { type: "lacks", upTo, at: performance.now() });
  }

  async #getMissing(agentId: string, upTo: number): Promise<void> {
    const file = await this.files.open(agentId);
    if (!file) return this.step(agentId, { type: "complete" }); // this host's own again
    const epoch = this.#deps.claims.get(agentId)?.epoch ?? file.epoch;
    if (!(await this.#original.fetch(file, upTo, epoch))) return this.#lacks(agentId, upTo);
    this.step(agentId, { type: "complete" });
    this.#endIfOver(file);
  }

  async #copyPassedOver(agentId: string, seq: number): Promise<void> {
    const { journal } = this.#deps;
    if (isOwnRun(journal, agentId)) return;
    if (runState(journal, agentId) !== "absent") return this.step(agentId, { type: "complete" });
    this.#lacks(agentId, seq);
    await this.#getMissing(agentId, seq);
  }

  /** Copies what the bus has, up to the first event that was cut for it; the rest as with any copy. */
  async #copyLost(agentId: string): Promise<void> {
    const { bus, claims } = this.#deps;
    this.files.close(agentId);
    const file = await this.files.open(agentId);
    if (!file) {
      if (claims.isHeld(agentId)) this.step(agentId, { type: "held" });
      return;
    }
    const epoch = claims.get(agentId)?.epoch ?? 0;
    let isCut = false;
    let upTo = file.lines;
    for await (const line of storedEventLines(bus, agentId, file.lines)) {
      if (!(await this.files.isCurrent(file))) return;
      upTo++;
      isCut ||= parseEventLine(line)?.["truncated"] === true;
      if (!isCut) this.files.append(file, line, epoch);
    }
    if (isCut) this.#lacks(agentId, upTo);
    else this.step(agentId, { type: "complete" });
    await this.resume(agentId, true);
  }

  /** Keeps a copy as the bus has it: its worker is gone, and with it the lines that were cut for the bus. */
  async #keepAsItIs(agentId: string): Promise<void> {
    const { bus, log } = this.#deps;
    const file = await this.files.open(agentId);
    if (!file) return;
    log.warn({ agent_id: agentId }, "the worker of a run is gone: its copy is kept as the bus has it");
    for await (const line of storedEventLines(bus, agentId, file.lines)) {
      if (!(await this.files.isCurrent(file))) return;
      this.files.append(file, line, file.epoch);
    }
    this.step(agentId, { type: "complete" });
    if (!file.hasTerminal) log.error({ agent_id: agentId }, "the end of a run is nowhere: its copy stays without");
    this.#endIfOver(file);
  }

  #endIfOver(file: MirroredRun): void {
    if (file.hasTerminal && !this.#deps.claims.open.has(file.agentId)) file.end();
  }
}
