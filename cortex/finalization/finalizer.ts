/** Finalizes ended runs: the bus gets their last events, their child's request and their end in the ledger and the claim. */
import { setTimeout as delay } from "node:timers/promises";
import type { LedgerEntry } from "../../bus/claims/ledger.ts";
import type { Logger } from "../../proc/logging/log.ts";
import { type AgentEvent, isTerminal } from "../../protocol/runs/event.ts";
import { contentHash } from "../../protocol/runs/request/request-content.ts";
import type { Claims } from "../claims/claims.ts";
import { readRequest } from "../intake/read-request.ts";
import { quarantineFenced } from "./quarantine-fenced.ts";
import type { Ports } from "../ports/ports.ts";
import type { RunFileReader } from "../ports/run-files.ts";
import type { RequestErasure } from "../intake/request-erasure.ts";
import type { UnreadableRuns } from "./unreadable-runs.ts";
import { reserved } from "../intake/deduplication.ts";
import { failpoint } from "../../proc/programs/failpoint.ts";

/** Milliseconds for which an item waits that the bus didn't take, unless the bus comes back sooner. */
const againMs = 5000;
/**
 * Milliseconds for which a cortex that stops waits for what is under way. What is still pending then, the next start
 * finalizes.
 */
const settleMs = 2000;

export type FinalizerDeps = Pick<Ports, "clock" | "files" | "requests" | "publisher" | "ledger"> & {
  worker: string;
  claims: Claims;
  erasure: RequestErasure;
  unreadable: UnreadableRuns;
  /** Whether a run may be ended here: false when another worker has taken it over, or has ended it. */
  mayEnd: (agentId: string) => Promise<boolean>;
  /** Has nothing to do with a run any more. */
  lose: (agentId: string) => void;
  log: Logger;
};

export class Finalizer {
  readonly #deps: FinalizerDeps;
  readonly #open = new Set<string>();
  readonly #underWay = new Map<string, Promise<void>>();

  constructor(deps: FinalizerDeps) {
    this.#deps = deps;
  }

  /** The runs whose finalization is pending. */
  get ids(): Iterable<string> {
    return this.#open;
  }

  /** The bus takes this worker's word again: what waited for that goes out. */
  resume(): void {
    for (const agentId of this.#open) this.finalizeRun(agentId);
  }

  /** Notes that the bus lacks something of a run, and leaves it for when the bus is back. */
  markPending(agentId: string): void {
    this.#open.add(agentId);
  }

  /** Gives the bus what it lacks of an ended run, now or as soon as it takes it. */
  finalizeRun(agentId: string): void {
    this.#open.add(agentId);
    if (this.#underWay.has(agentId)) return;
    const finalizing = this.#finalize(agentId);
    this.#underWay.set(agentId, finalizing);
    void finalizing.then(() => this.#underWay.delete(agentId));
  }

  /** Waits a little for what is under way. */
  async settled(): Promise<void> {
    const giveUp = new AbortController();
    const timer = delay(settleMs, undefined, { signal: giveUp.signal }).catch(() => {});
    await Promise.race([Promise.all(this.#underWay.values()), timer]);
    giveUp.abort();
  }

  async #finalize(agentId: string): Promise<void> {
    const { clock, files, requests, publisher, ledger, mayEnd, unreadable, log } = this.#deps;
    try {
      if (unreadable.isMissing(agentId)) await unreadable.end(agentId);
      if (!(await mayEnd(agentId))) return await this.#drop(agentId);
      const child = files.child(agentId);
      if (child) {
        const { request, chain_length } = child;
        await ledger.claimChild(agentId, { agent_id: String(request.ts), chain_length });
        failpoint("child-claimed");
        await requests.publish(request, contentHash(request));
        failpoint("child-published");
      }
      const reader = files.reader(agentId);
      if (!(await publisher.catchUp(agentId, (from) => reader.lines(from))) || !(await publisher.confirmed(agentId)))
        throw new Error("the bus hasn't taken all events yet");
      if (!(await this.#close(agentId))) return await this.#drop(agentId);
      const record = files.record(agentId);
      if (record) await files.removeWorkFolder(record.work_folder, record.plan);
      files.dropFolder(agentId);
      failpoint("folder-dropped");
      this.#open.delete(agentId);
    } catch (error) {
      await unreadable.failed(agentId, error);
      log.warn({ agent_id: agentId, err: error }, "the finalization on the bus is pending");
      clock.later(againMs, () => this.#open.has(agentId) && this.finalizeRun(agentId));
    }
  }

  /** The ledger first: a request that is delivered again meanwhile must not become a claim again. Resolves with whether it was ours to end. */
  async #close(agentId: string): Promise<boolean> {
    const { files, ledger, claims, worker } = this.#deps;
    const { request, terminal, saved, handoff } = await endOfRun(files.reader(agentId));
    const event = terminal?.event;
    const epoch = claims.get(agentId)?.epoch ?? 0;
    const [path, to] = [saved?.["path"], handoff?.["to"]];
    const more = {
      ...(typeof path === "string" ? { saved: path } : {}),
      ...(typeof to === "string" ? { handed_off: to } : {}),
    };
    const ended = { worker, epoch, event, ...more };
    // Who stands there has ended it: of two, one.
    const known = await ledger.change(agentId, (entry) => (entry.ended ? null : { ...entry, ended }));
    failpoint("ledger-ended");
    await claims.end(agentId);
    failpoint("claim-ended");
    if (known?.ended && known.ended.worker !== worker) return false;
    if (known) await this.#eraseRequest(agentId, known, request);
    failpoint("request-erased");
    return true;
  }

  /**
   * The ledger still knows it.
   * @throws Error when the bus doesn't answer: it stays pending until then, over the death of this cortex too
   */
  async #eraseRequest(agentId: string, entry: LedgerEntry, shown: AgentEvent | undefined): Promise<void> {
    const { ledger, erasure } = this.#deps;
    if (entry.stream_seq === reserved) return;
    await erasure.erase(entry.stream_seq, shown, async (data) => {
      const reading = readRequest(data);
      if (!reading.ok || reading.hash !== entry.hash) return false;
      return (reading.agentId ?? (await ledger.assigned(entry.stream_seq))) === agentId;
    });
  }

  async #drop(agentId: string): Promise<void> {
    const { files, lose, log } = this.#deps;
    await quarantineFenced({ files, log }, agentId, files.record(agentId));
    lose(agentId);
    this.#open.delete(agentId);
  }
}

/**
 * The events that the bus is told of a run that has ended: its request, its terminal event, and the last of what
 * followed.
 */
type EndOfRun = { request?: AgentEvent; terminal?: AgentEvent; saved?: AgentEvent; handoff?: AgentEvent };

const endNames = ["request", "finish", "error", "saved", "handoff"].map((name) => Buffer.from(`"${name}"`));

async function endOfRun(reader: RunFileReader): Promise<EndOfRun> {
  const end: EndOfRun = {};
  for await (const { event } of reader.lines(1, endNames)) {
    if (event.event === "request") end.request ??= event;
    if (isTerminal(event)) end.terminal ??= event;
    if (event.event === "saved" || event.event === "handoff") end[event.event] = event;
  }
  return end;
}
