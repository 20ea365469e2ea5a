/** The violations that must never be, whatever happens, and what has to be in the end. */
import type { Claim, StoredClaim } from "../../bus/claims/claims.ts";
import { isHeld } from "../../cortex/claims/ownership.ts";
import type { LedgerEntry } from "../../bus/claims/ledger.ts";
import type { BusState, HostState, SimEvent } from "./state.ts";

const isLast = ({ name }: SimEvent) => name === "finish" || name === "error";

export class Violations {
  readonly found: string[] = [];
  readonly #asked = new Set<string>();
  readonly #born = new Set<string>();
  readonly #agents = new Map<string, number>();
  /** The newest epoch that each worker has had of a run. */
  readonly #epochs = new Map<string, number>();
  readonly #spoke = new Map<string, number>();
  readonly #newest = new Map<string, number>();
  hosts: HostState[] = [];
  /** How many may be started at once, by all together. */
  mostOfAll = Number.POSITIVE_INFINITY;

  #say(what: string): void {
    this.found.push(what);
  }

  /** An input that the table of a run's life rules out in the state that the run is in. */
  impossible(agentId: string, state: string, input: string): void {
    this.#say(`${input} came to ${agentId} while it is ${state}`);
  }

  asked(agentId: string): void {
    this.#asked.add(agentId);
  }

  get ids(): ReadonlySet<string> {
    return this.#asked;
  }

  claimed(
    agentId: string,
    claim: Claim,
    claims: ReadonlyMap<string, StoredClaim>,
    entry: LedgerEntry | undefined,
  ): void {
    if (claim.state === "ended" && !entry?.ended) this.#say(`the claim of ${agentId} ended before the ledger said so`);
    const { worker, epoch } = claim;
    if (worker !== undefined) this.#epochs.set(`${agentId} ${worker}`, epoch);
    this.#newest.set(agentId, epoch);
    if (claim.state !== "started") return;
    let started = 0;
    for (const stored of claims.values()) if (stored.claim.state === "started") started++;
    if (started > this.mostOfAll) this.#say(`${started} runs are started, and ${this.mostOfAll} may be`);
  }

  /** A run ends in the ledger when its file has its last name. */
  recorded(agentId: string, entry: LedgerEntry, before: LedgerEntry | undefined): void {
    if (!entry.ended || before?.ended) return;
    const { worker } = entry.ended;
    if (!this.#fileOn(worker, agentId)?.isCommitted) this.#say(`${agentId} has ended before its file on ${worker} had`);
  }

  /** A run's file gets its last name: by then all that it says is written, and what it was allowed is taken back. */
  committed(agentId: string, host: HostState): void {
    const { file, record } = host.disk(agentId);
    if (!file?.some(isLast)) this.#say(`the file of ${agentId} on ${host.name} was closed without an end`);
    const token = record?.mcp_token;
    if (token !== undefined && host.tokens.has(token))
      this.#say(`the file of ${agentId} on ${host.name} was closed, and its token still holds`);
  }

  /** A file that has its last name is as it will be. */
  appended(agentId: string, host: HostState): void {
    this.#say(`the file of ${agentId} on ${host.name} was closed, and written to`);
  }

  /** Checks that the request a run hands on to is published when its file says so. */
  handedOn(agentId: string, host: HostState): void {
    const { file, isCommitted } = host.disk(agentId);
    if (!isCommitted || !file?.some(({ name }) => name === "handoff"))
      this.#say(`${agentId} has handed on from ${host.name} before its file said so`);
  }

  /** Nothing that these requests ask for is to be refused, or given up. */
  refused(agentId: string, why: string): void {
    this.#say(`${agentId} was refused: ${why}`);
  }

  #fileOn(worker: string, agentId: string) {
    return this.hosts.find(({ name }) => name === worker)?.runs.get(agentId);
  }

  /** @param others that live, of the same run, although nobody watches over them */
  born(agentId: string, attempt: number, worker: string, others: string[]): void {
    for (const other of others)
      this.#say(`attempt ${agentId}/${attempt} was started on ${worker}, beside one on ${other}`);
    const key = `${agentId}/${attempt}`;
    if (this.#born.has(key)) this.#say(`attempt ${key} was started again, on ${worker}`);
    this.#born.add(key);
    const epoch = this.#epochs.get(`${agentId} ${worker}`) ?? 0;
    const before = this.#agents.get(agentId) ?? 0;
    if (epoch < before) this.#say(`epoch ${epoch} of ${agentId} started on ${worker} after epoch ${before}`);
    this.#agents.set(agentId, Math.max(before, epoch));
  }

  published(agentId: string, event: SimEvent, worker: string): void {
    const { reason, error } = event.event;
    if (reason === "config" || reason === "internal") this.refused(agentId, String(error));
    const epoch = this.#epochs.get(`${agentId} ${worker}`) ?? 0;
    const newest = this.#spoke.get(agentId) ?? 0;
    if (epoch < newest)
      this.#say(
        `${agentId}:${event.seq} ${event.name} was said under epoch ${epoch}, after epoch ${newest} had spoken`,
      );
    this.#spoke.set(agentId, Math.max(epoch, newest));
  }

  /** A host that is lost may have saved; one that has lost a run may not. */
  saved(agentId: string, worker: string): void {
    if (!this.#fileOn(worker, agentId)?.file?.some(({ name }) => name === "finish"))
      this.#say(`${agentId} was saved on ${worker} before it had finished`);
    const epoch = this.#epochs.get(`${agentId} ${worker}`) ?? 0;
    const newest = this.#newest.get(agentId) ?? 0;
    if (epoch < newest)
      this.#say(`${agentId} was saved on ${worker} under epoch ${epoch}, after epoch ${newest} had begun`);
  }

  /** Finds what is left to do, or null. */
  left(bus: BusState, hosts: HostState[]): string | null {
    for (const agentId of this.#asked)
      if (!bus.events.get(agentId)?.some(isLast)) return `run ${agentId} has no end on the bus`;
    for (const { isAcked, streamSeq } of bus.requests) if (!isAcked) return `request ${streamSeq} isn't acknowledged`;
    for (const [agentId, { claim }] of bus.claims) return `the claim of ${agentId} is still there, ${claim.state}`;
    for (const { name, runs } of hosts)
      for (const [agentId, { hasFolder, file, isCommitted, attempts }] of runs) {
        if (hasFolder) return `the finalization of run ${agentId} is pending on ${name}`;
        if (file && !isCommitted) return `run ${agentId} is active on ${name}`;
        for (const [number, { agent }] of attempts)
          if (agent?.isAlive) return `agent ${agentId}/${number} lives on ${name}`;
      }
    return null;
  }

  /** In the end. */
  check(bus: BusState, hosts: HostState[], open: ReadonlyMap<string, StoredClaim>[]): void {
    for (const agentId of this.#asked) {
      const events = bus.events.get(agentId) ?? [];
      const ends = events.filter(isLast).length;
      if (ends !== 1) this.#say(`run ${agentId} has ${ends} ends on the bus`);
      if (events.some(({ seq }, index) => seq !== index + 1))
        this.#say(`the events of ${agentId} on the bus are numbered ${events.map(({ seq }) => seq).join(" ")}`);
      const texts = events.flatMap(({ event }) => (event.event === "text" ? [event["text"]] : []));
      if (new Set(texts).size < texts.length) this.#say(`${agentId} has said something twice: ${texts.join(", ")}`);
      const files = hosts.flatMap(({ name, runs }) => {
        const file = runs.get(agentId)?.file;
        return file ? [{ name, file }] : [];
      });
      if (files.length !== 1)
        this.#say(`run ${agentId} has files on ${files.map(({ name }) => name).join(", ") || "no host"}`);
      for (const { file } of files)
        if (told(file) !== told(events))
          this.#say(`the file of ${agentId} isn't what was published:\n  ${told(file)}\n  ${told(events)}`);
    }
    const believed = this.believed(open);
    if (believed !== null) this.#say(believed);
  }

  /** Finds what a worker believes although all has ended, or null. */
  believed(open: ReadonlyMap<string, StoredClaim>[]): string | null {
    for (const seen of open)
      for (const [agentId, { claim }] of seen)
        if (isHeld(claim))
          return `a worker believes that ${agentId} is ${claim.state}, and it has ended: its place is lost`;
    return null;
  }
}

const told = (events: SimEvent[]) => events.map(({ line }) => line).join("\n  ");
