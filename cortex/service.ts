/** Cortex: takes requests, starts each when there is room, and sees it to its end. */
import { availableParallelism } from "node:os";
import type { Bus } from "../bus/connect.ts";
import { publishAccepted, publishRejection } from "../bus/control.ts";
import type { EventPublisher } from "../bus/events.ts";
import type { Ledger, LedgerEntry } from "../bus/ledger.ts";
import { type Delivery, publishRequest } from "../bus/requests.ts";
import { appendToEnded } from "../journal/append-ended.ts";
import { type LiveStatus, writeLiveStatus } from "../journal/live-status.ts";
import { readRun } from "../journal/read-run.ts";
import { dropRunFolder, makeRunFolder } from "../journal/run-folder.ts";
import { runState } from "../journal/run-files.ts";
import { RunLog } from "../journal/run-log.ts";
import type { WatchedPersonas } from "../personas/watch.ts";
import type { Isolation } from "../proc/isolation.ts";
import type { Logger } from "../proc/log.ts";
import type { AgentEvent, EventBody } from "../protocol/event.ts";
import type { Request } from "../protocol/request.ts";
import { contentHash, redacted } from "../protocol/request-content.ts";
import type { Settings } from "../protocol/settings.ts";
import type { Status } from "../protocol/subjects.ts";
import { defaultBackend } from "./backend-choice.ts";
import { chainLength } from "./chain.ts";
import { ConfigError } from "./config-error.ts";
import { chainHistory } from "./history.ts";
import { LiveRun, type RunHost } from "./live-run.ts";
import { planFor } from "./plan-for.ts";
import { type Waiting, RequestQueue } from "./queue.ts";
import { readRequest } from "./read-request.ts";
import { childOf, keepRecord } from "./run-record.ts";
import { RunWriter } from "./run-writer.ts";
import { stamp } from "./stamp.ts";
import { makeWorkFolder, tokenFor } from "./start-process.ts";
import type { Input } from "./table.ts";

/** How many requests may wait, unless the settings say otherwise. */
const defaultMaxQueued = 10_000;

/** How long what the bus didn't take waits, unless the bus comes back sooner. */
const confirmAgainMs = 5000;

/** The stream position of a request that cortex itself has yet to publish. */
const reserved = 0;

export type CortexParts = {
  journal: string;
  worker: string;
  timeZone: string;
  bus: Bus;
  publisher: EventPublisher;
  ledger: Ledger;
  isolation: Isolation;
  log: Logger;
  settings: () => Settings;
  personas: Pick<WatchedPersonas, "get" | "problems">;
};

export class Cortex {
  readonly #parts: CortexParts;
  readonly #queue = new RequestQueue();
  readonly #runs = new Map<string, LiveRun>();
  /** Ids that are being started, with what was said to them meanwhile. */
  readonly #busy = new Map<string, Input[]>();
  /** Runs that have ended, and whose last events the bus may not have yet. */
  readonly #unconfirmed = new Set<string>();
  #lastId = 0;
  #isStopping = false;
  #onIdle = () => {};
  #isStatusDue = false;
  #statusWritten = Promise.resolve();

  constructor(parts: CortexParts) {
    this.#parts = parts;
    parts.bus.onReconnect(() => this.#reconnected());
  }

  /** How many runs there may be at once. */
  get capacity(): number {
    return this.#parts.settings().max_concurrent ?? 2 * availableParallelism();
  }

  /** Takes a stored request: records it, then says so. The bus is told last, so nothing is lost in between. */
  async accept(delivery: Delivery): Promise<void> {
    const { bus, ledger, journal } = this.#parts;
    const reading = readRequest(delivery.data);
    if (!reading.ok) {
      publishRejection(bus, reading.rejection, delivery.replyTo);
      return delivery.ack();
    }
    const { request, hash } = reading;
    const refuse = (error: string, reason: "duplicate_id" | "overloaded") => {
      publishRejection(bus, { error, reason, request: redacted(request) }, delivery.replyTo);
      return delivery.ack();
    };
    const maxQueued = this.#parts.settings().max_queued ?? defaultMaxQueued;
    if (this.#queue.size >= maxQueued)
      return refuse(
        `${this.#queue.size} requests are waiting, which is the most (max_queued): ask again later`,
        "overloaded",
      );

    const entry: LedgerEntry = { hash, state: "queued", stream_seq: delivery.streamSeq };
    const agentId = reading.agentId ?? (await this.#assignId(delivery.streamSeq, entry));
    const known = await ledger.record(agentId, entry);
    const isReserved = known?.stream_seq === reserved && known.hash === hash;
    const isOurs = known === null || known.stream_seq === delivery.streamSeq || isReserved;
    if (isReserved) await ledger.update(agentId, { ...known, stream_seq: delivery.streamSeq });
    if (!isOurs && known.hash !== hash)
      return refuse(`the id ${agentId} belongs to another request: leave ts out, or give a free one`, "duplicate_id");
    if (isOurs && runState(journal, agentId) !== "absent" && known === null && !this.#isSameRun(agentId, request))
      return refuse(`the id ${agentId} belongs to another request: leave ts out, or give a free one`, "duplicate_id");
    publishAccepted(bus, agentId, delivery.replyTo);
    if (isOurs) this.enqueue({ agentId, request, streamSeq: delivery.streamSeq });
    return delivery.ack();
  }

  /** Puts a recorded request into the queue, unless it has become a run already. */
  enqueue(waiting: Waiting): void {
    const { agentId } = waiting;
    if (this.#runs.has(agentId) || this.#busy.has(agentId) || runState(this.#parts.journal, agentId) !== "absent")
      return;
    this.#queue.add(waiting);
    this.#pump();
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
    if (waiting) void this.#end(waiting, { event: "error", error: "cancelled before it started", reason: "cancelled" });
  }

  input(agentId: string, text: string): void {
    this.#say(agentId, { type: "input", text });
  }

  #say(agentId: string, input: Input): void {
    const run = this.#runs.get(agentId);
    if (run) void run.step(input);
    else this.#busy.get(agentId)?.push(input);
  }

  /** What a run needs of this cortex. */
  get host(): RunHost {
    const { journal, worker, timeZone, settings, isolation, publisher, log, personas } = this.#parts;
    return {
      journal,
      worker,
      timeZone,
      settings,
      isolation,
      publisher,
      log,
      personaOf: (name) => personas.get(name),
      chainLength: (agentId) => chainLength(journal, agentId),
      reserveId: (request) => this.#reserveId(request),
      isStopping: () => this.#isStopping,
    };
  }

  status(): Status {
    const running = [...this.#runs.values()].map((run) => ({
      agent_id: run.agentId,
      persona: run.plan.persona,
      backend: run.plan.backend.name,
      elapsed_seconds: run.elapsedSeconds,
    }));
    return { worker: this.#parts.worker, running, queued: this.#queue.size, capacity: this.capacity };
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
    const timer = setTimeout(() => {
      for (const run of this.#runs.values())
        void run.step({ type: "stop", reason: "shutdown", error: "stopped with cortex" });
    }, graceSeconds * 1000);
    await isIdle;
    clearTimeout(timer);
    this.#statusChanged();
    await this.#statusWritten;
  }

  /** Kills what is left, at once. */
  kill(): void {
    for (const run of this.#runs.values()) {
      void run.step({ type: "stop", reason: "shutdown", error: "stopped with cortex" });
      run.kill();
    }
  }

  /** A run that has ended, and of which the bus may lack the last events or the child. */
  async confirm(agentId: string): Promise<void> {
    const { publisher, journal, bus, log, ledger } = this.#parts;
    this.#unconfirmed.add(agentId);
    try {
      const child = childOf(journal, agentId);
      if (child) await publishRequest(bus, child.request, contentHash(child.request));
      const events = readRun(journal, agentId)?.events ?? [];
      if (!(await publisher.catchUp(agentId, events))) return;
      const entry = await ledger.entry(agentId);
      if (entry) await ledger.update(agentId, { ...entry, state: "ended" });
      dropRunFolder(journal, agentId);
      this.#unconfirmed.delete(agentId);
    } catch (error) {
      log.warn({ agent_id: agentId, err: error }, "what is owed to the bus waits");
      setTimeout(() => void this.confirm(agentId), confirmAgainMs).unref();
    }
  }

  #pump(): void {
    while (!this.#isStopping && this.#runs.size + this.#busy.size < this.capacity) {
      const waiting = this.#queue.take();
      if (!waiting) break;
      void this.#start(waiting);
    }
    this.#statusChanged();
  }

  /** Claims the file of a request that waited, and starts it. */
  async #start({ agentId, request, streamSeq }: Waiting): Promise<void> {
    const { log, ledger } = this.#parts;
    this.#busy.set(agentId, []);
    try {
      const writer = this.#claim(agentId);
      if (!writer) return;
      const entry = { hash: contentHash(request), state: "started", stream_seq: streamSeq } as const;
      ledger.update(agentId, entry).catch((error: unknown) => log.warn({ agent_id: agentId, err: error }, "ledger"));
      await this.startClaimed(writer, { request, streamSeq }, []);
    } catch (error) {
      log.error({ agent_id: agentId, err: error }, "a run couldn't be started");
    } finally {
      this.#busy.delete(agentId);
      this.#pump();
      this.#checkIdle();
    }
  }

  /**
   * Writes the request line, merges, starts. Whatever can't start is a run all the same, with an error.
   * @param asked null when the request was lost: then nothing can be done but to say so
   * @param events what stands in the file already
   */
  async startClaimed(
    writer: RunWriter,
    asked: { request: Request; streamSeq: number } | null,
    events: AgentEvent[],
  ): Promise<void> {
    const { log } = this.#parts;
    const { agentId } = writer;
    try {
      if (!asked) throw new ConfigError("its request is no longer in the bus's store");
      if (events.length === 0) await writer.write([requestLine(asked.request)]);
      const run = await this.#prepare(writer, asked.request, asked.streamSeq, events);
      this.takeUp(run, () => run.start());
    } catch (error) {
      const reason = error instanceof ConfigError ? "config" : "internal";
      if (reason === "internal") log.error({ agent_id: agentId, err: error }, "a run couldn't be prepared");
      await writer.write([{ event: "error", error: error instanceof Error ? error.message : String(error), reason }]);
      writer.close();
      void this.confirm(agentId);
    }
  }

  async #prepare(writer: RunWriter, request: Request, streamSeq: number, events: AgentEvent[]): Promise<LiveRun> {
    const { journal } = this.#parts;
    const { agentId } = writer;
    const plan = planFor(agentId, request, this.surroundings);
    const history =
      plan.continueFrom === undefined ? [] : chainHistory(journal, plan.continueFrom, (id) => this.#isWaiting(id));
    const notes = plan.notes.filter((note) => !events.some(({ message }) => message === note));
    if (notes.length > 0) await writer.write(notes.map((message) => ({ event: "info", message })));
    if (plan.continueFrom !== undefined) this.#sayContinued(plan.continueFrom, agentId);
    const token = await tokenFor(journal, agentId, plan);
    const record = {
      request,
      stream_seq: streamSeq,
      plan,
      attempt: 1 + events.filter(({ event }) => event === "start").length,
      lost: 0,
      started: Date.now(),
      work_folder: await makeWorkFolder(journal, plan),
      ...(token === undefined ? {} : { mcp_token: token }),
    };
    await keepRecord(journal, agentId, record);
    return new LiveRun(this.host, writer, plan, record, history, events);
  }

  /** What a request is merged with. */
  get surroundings() {
    const { journal, settings, personas, timeZone } = this.#parts;
    return {
      journal,
      settings: settings(),
      personas,
      timeZone,
      defaultBackend: defaultBackend(settings(), process.env),
    };
  }

  /** Ends a request that never became a process. */
  async #end({ agentId, request }: Waiting, error: EventBody): Promise<void> {
    const writer = this.#claim(agentId);
    if (!writer) return;
    await writer.write([requestLine(request)]);
    await writer.write([error]);
    writer.close();
    this.#statusChanged();
    await this.confirm(agentId);
  }

  #claim(agentId: string): RunWriter | null {
    const { journal, publisher, log } = this.#parts;
    makeRunFolder(journal, agentId); // first: whatever is owed is found by its folder
    const file = RunLog.claim(journal, agentId);
    return file && new RunWriter(journal, file, publisher, log, false);
  }

  async #follow(run: LiveRun, end: Promise<void>): Promise<void> {
    const { log } = this.#parts;
    try {
      await end;
      if (run.state === "closed") await this.confirm(run.agentId);
    } catch (error) {
      log.error({ agent_id: run.agentId, err: error }, "a run couldn't be followed");
    } finally {
      this.#runs.delete(run.agentId);
      this.#pump();
      this.#checkIdle();
    }
  }

  /** The source of a continuation gets a line that names it, in its file and on the bus. */
  #sayContinued(source: string, to: string): void {
    const { journal, publisher, bus } = this.#parts;
    const isSaid = readRun(journal, source)?.events.some(
      ({ event, to: other }) => event === "continue" && other === to,
    );
    if (isSaid) return;
    const event = appendToEnded(journal, source, (seq) => stamp({ event: "continue", to }, source, seq, Date.now()));
    if (bus.isConnected) publisher.publish(event, JSON.stringify(event));
    else this.#unconfirmed.add(source);
  }

  #isWaiting(agentId: string): boolean {
    return this.#queue.has(agentId) || this.#busy.has(agentId);
  }

  #isSameRun(agentId: string, request: Request): boolean {
    const line = readRun(this.#parts.journal, agentId)?.events.find((event) => event.event === "request");
    if (!line) return false;
    const { ts: _, agent_id: __, seq: ___, ...rest } = line;
    const { ts: ____, agent_id: _____, ...asked } = redacted(request) as Request;
    return contentHash(rest as unknown as Request) === contentHash(asked as Request);
  }

  /** An id for a request that came without one: the same at each delivery. */
  async #assignId(streamSeq: number, entry: LedgerEntry): Promise<string> {
    const { ledger } = this.#parts;
    let agentId = await ledger.assign(streamSeq, this.#freeId());
    for (;;) {
      const known = await ledger.record(agentId, entry);
      if (known === null || known.stream_seq === streamSeq) return agentId;
      agentId = this.#freeId();
      await ledger.reassign(streamSeq, agentId);
    }
  }

  /** Reserves an id in the ledger. While the bus is away, what is known here has to do. */
  async #reserveId(request: Request): Promise<string> {
    const { ledger, log } = this.#parts;
    for (;;) {
      const agentId = this.#freeId();
      const hash = contentHash({ ...request, ts: Number(agentId) });
      try {
        if ((await ledger.record(agentId, { hash, state: "queued", stream_seq: reserved })) === null) return agentId;
      } catch (error) {
        log.warn({ agent_id: agentId, err: error }, "the ledger doesn't answer; the id is taken as free");
        return agentId;
      }
    }
  }

  /** The next id that nobody has: the clock's, or one after the last. */
  #freeId(): string {
    do this.#lastId = Math.max(this.#lastId + 1, Date.now());
    while (this.#isWaiting(String(this.#lastId)) || runState(this.#parts.journal, String(this.#lastId)) !== "absent");
    return String(this.#lastId);
  }

  #reconnected(): void {
    for (const run of this.#runs.values()) run.reconnected();
    for (const agentId of this.#unconfirmed) void this.confirm(agentId);
  }

  #checkIdle(): void {
    if (this.#isStopping && this.#runs.size === 0 && this.#busy.size === 0) this.#onIdle();
  }

  /** One write after the other; changes that come while one is under way are one more. */
  #statusChanged(): void {
    if (this.#isStatusDue) return;
    this.#isStatusDue = true;
    this.#statusWritten = this.#statusWritten.then(() => {
      this.#isStatusDue = false;
      return this.#writeStatus();
    });
  }

  async #writeStatus(): Promise<void> {
    const { journal, log, settings } = this.#parts;
    const fallback = defaultBackend(settings(), process.env);
    const status: LiveStatus = {
      ...this.status(),
      pid: process.pid,
      running: [...this.#runs.values()].map((run) => ({
        agent_id: run.agentId,
        persona: run.plan.persona,
        backend: run.plan.backend.name,
        elapsed_seconds: run.elapsedSeconds,
        pid: run.pid,
        state: run.state,
        since: run.record.started,
      })),
      waiting: this.#queue.all().map(({ agentId, request }) => ({
        agent_id: agentId,
        persona: request.persona ?? "default",
        backend: request.backend ?? fallback,
        prompt: request.prompt.slice(0, 200),
      })),
    };
    await writeLiveStatus(journal, status).catch((error: unknown) => log.warn({ err: error }, "status file"));
  }
}

/** The first line of a run's file: the request as received, its secrets replaced. */
export function requestLine(request: Request): EventBody {
  return { ...(redacted(request) as Request), event: "request" };
}
