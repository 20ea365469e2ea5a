/**
 * Keeps the files of other workers' runs in this journal, byte for byte, from what the bus has of them. What was cut for
 * the bus, or what it has lost, is fetched from the worker itself.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Claim } from "../../bus/claims/claims.ts";
import type { Bus } from "../../bus/connection/connect.ts";
import { dropEvent, eventFeed, eventStreamState, type FedEvent } from "../../bus/events/event-feed.ts";
import { storedEventLines } from "../../bus/events/event-history.ts";
import { isLate } from "../../bus/events/event-message.ts";
import type { Ledger } from "../../bus/claims/ledger.ts";
import { linesFrom, serveLines } from "../../bus/events/run-lines.ts";
import type { WorkerLeases } from "../../bus/claims/workers.ts";
import { FileLinesError } from "../../files/file-lines.ts";
import {
  isMirrored,
  isOwnRun,
  MirroredRun,
  mirroredRuns,
  readMirrorPosition,
  runBytes,
  writeMirrorPosition,
} from "../../journal/runs/mirrored-run.ts";
import { Quarantine } from "../../journal/quarantine/quarantine.ts";
import { parseEventLine } from "../../journal/chain/event-line.ts";
import { runFile, runState } from "../../journal/runs/run-files.ts";
import type { Logger } from "../../proc/logging/log.ts";
import { AgentId } from "../../protocol/names/names.ts";
import type { Claims } from "../claims/claims.ts";

/** How often the position is noted: as much is read again after a crash. */
const noteEveryMs = 1000;
/** How often a worker is asked again that doesn't answer. */
const askAgainMs = 5000;
/** How long whoever wants a copy waits for what was said before. */
const arriveMs = 5000;
/** After so long without its worker, an ended run is kept as the bus has it. */
const giveUpMs = 600_000;
/** The files that are remembered, beside those in progress. */
const maxRemembered = 1000;

export type MirrorParts = {
  journal: string;
  worker: string;
  bus: Bus;
  ledger: Ledger;
  claims: Claims;
  leases: WorkerLeases;
  log: Logger;
};

/** A copy that waits for its worker: up to which line it is to come, and since when it waits. */
type Waiting = { upTo: number; since: number };

/** Answers other workers that ask for the file of a run: one of this worker's own, or a copy where copies are kept. */
export function answerForLines(bus: Bus, journal: string, worker: string, isMirror: boolean): void {
  const read = (agentId: string, offset: number, maxBytes: number) => runBytes(journal, agentId, offset, maxBytes);
  serveLines(bus, { worker }, read);
  if (isMirror) serveLines(bus, "copies", read);
}

export class Mirror {
  readonly #parts: MirrorParts;
  readonly #runs = new Map<string, MirroredRun>();
  readonly #waiting = new Map<string, Waiting>();
  /** Runs of this host's own that others have now, and that aren't copied yet. */
  readonly #lost = new Set<string>();
  /** The epochs of runs that have changed hands, as far as the bus has told. */
  readonly #newest = new Map<string, number>();
  readonly #unsynced = new Set<MirroredRun>();
  /** Runs of which something is still here although another has them, it seems, and the last line of each that came. */
  readonly #passedOver = new Map<string, number>();
  /** Runs that this worker holds, and has the file of. */
  readonly #own = new Set<string>();
  #stream = "";
  #position = 0;
  /** Copies that can't be handled. */
  readonly #damaged: Quarantine;
  /** One thing after the other. */
  #turn: Promise<void> = Promise.resolve();

  constructor(parts: MirrorParts) {
    this.#parts = parts;
    this.#damaged = new Quarantine(parts.journal, "run-copy");
  }

  /** Copies until `signal`. */
  async follow(signal: AbortSignal): Promise<void> {
    const { journal, log } = this.#parts;
    for (const agentId of mirroredRuns(journal)) await this.#do(() => this.#settle(agentId, true));
    const noting = setInterval(() => void this.#do(() => this.#note()), noteEveryMs);
    const asking = setInterval(() => void this.#do(() => this.#askAgain()), askAgainMs);
    while (!signal.aborted) {
      try {
        await this.#findPlace();
        for await (const fed of eventFeed(this.#parts.bus, this.#position, signal))
          await this.#do(async () => {
            await this.#take(fed);
            this.#position = fed.position;
          });
      } catch (error) {
        if (!signal.aborted) log.warn({ err: error }, "the events of other workers can't be read; trying again");
        await delay(noteEveryMs, undefined, { signal }).catch(() => {});
      }
    }
    clearInterval(noting);
    clearInterval(asking);
    await this.#do(() => this.#note());
  }

  /** Waits until a run that has ended has its file here, or all that the bus has of it by now; not for long. */
  async arrived(agentId: string): Promise<void> {
    const { bus, journal } = this.#parts;
    if (!AgentId.safeParse(agentId).success) return; // whatever it is, it is no run
    const { last } = await eventStreamState(bus);
    for (const end = performance.now() + arriveMs; performance.now() < end; await delay(20)) {
      if (runState(journal, agentId) === "ended") return;
      if (this.#position >= last && !this.#runs.get(agentId)?.hasTerminal) return;
    }
  }

  /** A claim has changed on the bus: its run may have ended, or have another worker. */
  claimChanged(agentId: string, claim: Claim): void {
    if (claim.state === "ended") this.#own.delete(agentId);
    if (claim.worker !== this.#parts.worker && (claim.state === "ended" || this.#waiting.has(agentId)))
      void this.#do(() => this.#settle(agentId, false));
  }

  /** Another worker has a run that was this host's own: what that one has said so far was left out here, and is copied now. */
  lost(agentId: string): void {
    this.#lost.add(agentId);
    void this.#do(() => this.#copyLost(agentId));
  }

  #do(work: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch((error: unknown) => this.#parts.log.warn({ err: error }, "a copy of a run has to wait"));
    return this.#turn;
  }

  /** From where it stopped; from the beginning when the stream is another one, or has become shorter. */
  async #findPlace(): Promise<void> {
    const { stream, last } = await eventStreamState(this.#parts.bus);
    const known = this.#stream === "" ? readMirrorPosition(this.#parts.journal) : null;
    const before = known ?? { stream: this.#stream, seq: this.#position };
    this.#stream = stream;
    this.#position = before.stream === stream && before.seq <= last ? before.seq : 0;
  }

  /** Whether a worker has said this that had lost the run: then it is dropped, and nobody else is to read it either. */
  async #isLate({ agentId, epoch, position }: FedEvent): Promise<boolean> {
    const newest = this.#newest.get(agentId) ?? 0;
    if (epoch > 1 && epoch > newest) {
      this.#newest.delete(agentId);
      this.#newest.set(agentId, epoch);
      const [oldest] = this.#newest.keys();
      if (this.#newest.size > maxRemembered && oldest !== undefined) this.#newest.delete(oldest);
    }
    if (!isLate(epoch, newest)) return false;
    this.#parts.log.warn(
      { agent_id: agentId, epoch, newest },
      "a late word of a worker that has lost its run is dropped",
    );
    await dropEvent(this.#parts.bus, position);
    return true;
  }

  async #take(fed: FedEvent): Promise<void> {
    if (await this.#isLate(fed)) return;
    const { agentId, epoch } = fed;
    if (await this.#isSurelyOwn(agentId)) return;
    const said = fed.read();
    if (!said) return;
    const { line, event } = said;
    const { seq } = event;
    const run = await this.#open(agentId);
    if (!run) {
      if (!this.#parts.claims.isHeld(agentId)) this.#passedOver.set(agentId, seq);
      return;
    }
    const waiting = this.#waiting.get(agentId);
    if (waiting) return void (waiting.upTo = Math.max(waiting.upTo, seq));
    const inProgress = isMirrored(this.#parts.journal, agentId);
    if (inProgress && isLate(epoch, run.epoch)) return;
    // Another worker goes on from where the one before had come on the bus.
    if (inProgress && epoch > run.epoch && seq <= run.lines) await run.cutTo(seq - 1);
    if (seq > run.lines) await run.refresh(); // a run of our own may have got a line since
    if (seq <= run.lines) return;
    try {
      if (seq === run.lines + 1 && event["truncated"] !== true) this.#append(run, line, epoch);
      else if (!(await this.#fetch(run, seq, epoch))) this.#wait(agentId, seq);
    } catch (error) {
      this.#wait(agentId, seq);
      throw error;
    }
    this.#endIfOver(run);
  }

  /** Nearly all that a host hears is its own, and what it holds stays its own: the files are looked at once. */
  async #isSurelyOwn(agentId: string): Promise<boolean> {
    const { journal, claims } = this.#parts;
    if (!claims.isHeld(agentId)) {
      this.#own.delete(agentId);
      return false;
    }
    if (!this.#own.has(agentId) && isOwnRun(journal, agentId)) {
      this.#own.add(agentId);
      await this.#open(agentId); // which forgets a copy that there was
    }
    return this.#own.has(agentId);
  }

  /** What the bus has of it, up to what was cut there; the rest as with any copy. */
  async #copyLost(agentId: string): Promise<void> {
    this.#runs.delete(agentId);
    const run = await this.#open(agentId);
    const epoch = this.#parts.claims.get(agentId)?.epoch ?? 0;
    let isCut = false;
    let upTo = run?.lines ?? 0;
    if (run)
      for await (const line of storedEventLines(this.#parts.bus, agentId, run.lines)) {
        if ((await this.#open(agentId)) !== run) break;
        upTo++;
        isCut ||= parseEventLine(line)?.["truncated"] === true;
        if (!isCut) this.#append(run, line, epoch);
      }
    this.#lost.delete(agentId);
    if (!run || (await this.#open(agentId)) !== run) return;
    if (isCut) this.#wait(agentId, upTo);
    await this.#settle(agentId, true);
  }

  #wait(agentId: string, upTo: number): void {
    if (!this.#waiting.has(agentId)) this.#waiting.set(agentId, { upTo, since: performance.now() });
  }

  /** The copy of a run, unless it is this host's own. */
  async #open(agentId: string): Promise<MirroredRun | null> {
    const { journal } = this.#parts;
    if (isOwnRun(journal, agentId)) {
      this.#runs.delete(agentId);
      this.#waiting.delete(agentId);
      return null;
    }
    const known = this.#runs.get(agentId);
    if (known) return known;
    if (this.#runs.size > maxRemembered) for (const [id, run] of this.#runs) if (run.hasTerminal) this.#runs.delete(id);
    const run = await this.#opened(agentId);
    this.#runs.set(agentId, run);
    return run;
  }

  /** A copy that can't be handled is put away at the third failure, and made anew. */
  async #opened(agentId: string): Promise<MirroredRun> {
    const { journal, log } = this.#parts;
    try {
      return await MirroredRun.open(journal, agentId);
    } catch (error) {
      const path = runFile(journal, agentId);
      if (!(error instanceof FileLinesError) || path === null) throw error;
      if ((await this.#damaged.failed(agentId, error, { moveFile: path })) === "retry") throw error;
      log.error(
        { agent_id: agentId, path, err: error },
        "a copy of a run can't be handled: it is put away, and made anew",
      );
      return await MirroredRun.open(journal, agentId);
    }
  }

  #append(run: MirroredRun, line: string, epoch: number): void {
    run.append(line, epoch);
    this.#unsynced.add(run);
  }

  /**
   * Takes lines from the file of the worker that has the run, up to `upTo` and no further: what the bus hasn't got may yet
   * be dropped. Resolves with whether they are here.
   */
  async #fetch(run: MirroredRun, upTo: number, epoch: number): Promise<boolean> {
    const { bus, log } = this.#parts;
    const { agentId } = run;
    const owner = await this.#ownerOf(agentId);
    if (owner === null) return false;
    for await (const line of linesFrom(bus, { worker: owner }, agentId, run.size)) {
      if ((await this.#open(agentId)) !== run) return true;
      if (parseEventLine(line)?.seq !== run.lines + 1) {
        log.warn({ agent_id: agentId, owner }, "a copy differs from its original: it is made anew");
        await run.cutTo(0);
        return false;
      }
      this.#append(run, line, epoch);
      if (run.lines >= upTo) return true;
    }
    return run.hasTerminal && !this.#parts.claims.open.has(agentId); // it has ended, and this is all of it
  }

  /** Who has the file of a run, or null. */
  async #ownerOf(agentId: string): Promise<string | null> {
    const { claims, ledger, worker } = this.#parts;
    const owner = claims.get(agentId)?.worker ?? (await ledger.entry(agentId))?.ended?.worker ?? null;
    return owner === worker ? null : owner;
  }

  /** Goes on with a copy that waits, and ends one whose run has ended. */
  async #settle(agentId: string, isUnknown: boolean): Promise<void> {
    const run = await this.#open(agentId);
    if (!run) return;
    const { claims } = this.#parts;
    const isOver = !claims.open.has(agentId);
    // After a crash nobody knows whether the bus's last words of an ended run were seen.
    const upTo = this.#waiting.get(agentId)?.upTo ?? (isUnknown && isOver && !run.hasTerminal ? Infinity : 0);
    if (upTo > 0) {
      if (await this.#fetch(run, upTo, claims.get(agentId)?.epoch ?? run.epoch)) this.#waiting.delete(agentId);
      else this.#wait(agentId, upTo);
    }
    this.#endIfOver(run);
  }

  #endIfOver(run: MirroredRun): void {
    const { agentId, hasTerminal } = run;
    if (hasTerminal && !this.#waiting.has(agentId) && !this.#parts.claims.open.has(agentId)) run.end();
  }

  async #askAgain(): Promise<void> {
    const { claims, leases } = this.#parts;
    for (const agentId of this.#lost) await this.#copyLost(agentId);
    for (const [agentId, { since }] of this.#waiting) {
      await this.#settle(agentId, false);
      if (!this.#waiting.has(agentId) || claims.open.has(agentId) || performance.now() - since < giveUpMs) continue;
      const owner = await this.#ownerOf(agentId);
      if (owner === null || !(await leases.isAlive(owner))) await this.#keepAsItIs(agentId);
    }
  }

  /** What was passed over as this host's own, and was then set aside since another worker has it, is wanted after all. */
  async #lookBack(): Promise<void> {
    const { journal } = this.#parts;
    for (const [agentId, seq] of this.#passedOver) {
      if (isOwnRun(journal, agentId)) continue;
      if (runState(journal, agentId) === "absent" && !this.#waiting.has(agentId)) {
        this.#wait(agentId, seq);
        await this.#settle(agentId, false);
      }
      if (runState(journal, agentId) !== "absent") this.#passedOver.delete(agentId);
    }
  }

  /** The worker is gone, and with it what the bus didn't take whole. */
  async #keepAsItIs(agentId: string): Promise<void> {
    const { bus, log } = this.#parts;
    const run = await this.#open(agentId);
    if (!run) return;
    log.warn({ agent_id: agentId }, "the worker of a run is gone: its copy is kept as the bus has it");
    for await (const line of storedEventLines(bus, agentId, run.lines)) {
      if ((await this.#open(agentId)) !== run) return;
      this.#append(run, line, run.epoch);
    }
    this.#waiting.delete(agentId);
    if (!run.hasTerminal) log.error({ agent_id: agentId }, "the end of a run is nowhere: its copy stays without");
    this.#endIfOver(run);
  }

  async #note(): Promise<void> {
    if (this.#stream === "") return;
    await this.#lookBack();
    if (this.#passedOver.size > 0) return; // after a crash it is read again
    const { journal } = this.#parts;
    const seq = this.#position;
    const before = readMirrorPosition(journal);
    if (before?.seq === seq && before.stream === this.#stream) return;
    for (const run of this.#unsynced) if (!isOwnRun(journal, run.agentId)) run.sync();
    this.#unsynced.clear();
    await writeMirrorPosition(journal, { stream: this.#stream, seq });
  }
}
