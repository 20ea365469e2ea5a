/** Cortex: takes requests, starts each when there is room, and sees it to its end. */
import { availableParallelism } from "node:os";
import type { Bus } from "../bus/connect.ts";
import type { EventPublisher } from "../bus/events.ts";
import type { Ledger } from "../bus/ledger.ts";
import type { Delivery } from "../bus/requests.ts";
import { appendToEnded } from "../journal/append-ended.ts";
import type { LiveStatus } from "../journal/live-status.ts";
import { readRun } from "../journal/read-run.ts";
import { makeRunFolder } from "../journal/run-folder.ts";
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
import { accept } from "./accept.ts";
import { defaultBackend } from "./backend-choice.ts";
import { chainLength } from "./chain.ts";
import { ConfigError } from "./config-error.ts";
import { chainHistory } from "./history.ts";
import { EarlyWords } from "./early-words.ts";
import { Ids } from "./ids.ts";
import { LiveRun } from "./live-run.ts";
import { Owed } from "./owed.ts";
import { planFor } from "./plan-for.ts";
import { type Waiting, RequestQueue } from "./queue.ts";
import { keepRecord } from "./run-record.ts";
import type { RunHost } from "./run-host.ts";
import { RunWriter } from "./run-writer.ts";
import { stamp } from "./stamp.ts";
import { StatusFile } from "./status-file.ts";
import { makeWorkFolder, tokenFor } from "./start-process.ts";
import type { Input } from "./table.ts";

/** How many requests may wait, unless the settings say otherwise. */
const defaultMaxQueued = 10_000;

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
  /** What was said to requests before they arrived here, or while they wait. */
  readonly #early = new EarlyWords();
  /** What ended runs owe to the bus. */
  readonly owed: Owed;
  readonly #ids: Ids;
  readonly #status: StatusFile;
  #isStopping = false;
  #onIdle = () => {};

  constructor(parts: CortexParts) {
    this.#parts = parts;
    const { journal, ledger, log, bus } = parts;
    this.owed = new Owed(parts);
    this.#ids = new Ids(journal, ledger, log, (agentId) => this.#isWaiting(agentId));
    this.#status = new StatusFile(journal, log, () => this.#liveStatus());
    bus.onReconnect(() => {
      for (const run of this.#runs.values()) run.reconnected();
    });
  }

  /** How many runs there may be at once. */
  get capacity(): number {
    return this.#parts.settings().max_concurrent ?? 2 * availableParallelism();
  }

  /** Takes a stored request. */
  accept(delivery: Delivery): Promise<void> {
    const { journal, bus, ledger, settings } = this.#parts;
    return accept(delivery, {
      journal,
      bus,
      ledger,
      ids: this.#ids,
      queued: this.#queue.size,
      maxQueued: settings().max_queued ?? defaultMaxQueued,
      enqueue: (waiting) => this.enqueue(waiting),
    });
  }

  /** Puts a recorded request into the queue, unless it has become a run already. */
  enqueue(waiting: Waiting): void {
    const { agentId } = waiting;
    if (this.#runs.has(agentId) || this.#busy.has(agentId) || runState(this.#parts.journal, agentId) !== "absent")
      return;
    this.#queue.add(waiting);
    if (this.#early.has(agentId, "stop")) this.cancel(agentId);
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
    const beingStarted = this.#busy.get(agentId);
    if (run) void run.step(input);
    else if (beingStarted) beingStarted.push(input);
    else this.#early.keep(agentId, input);
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
      reserveId: (request) => this.#ids.reserve(request),
      isStopping: () => this.#isStopping,
      onChange: () => void this.#status.changed(),
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
    await this.owed.settled();
    await this.#status.changed();
  }

  /** Kills what is left, at once. */
  kill(): void {
    for (const run of this.#runs.values()) {
      void run.step({ type: "stop", reason: "shutdown", error: "stopped with cortex" });
      run.kill();
    }
  }

  #pump(): void {
    while (!this.#isStopping && this.#runs.size + this.#busy.size < this.capacity) {
      const waiting = this.#queue.take();
      if (!waiting) break;
      void this.#start(waiting);
    }
    void this.#status.changed();
  }

  /** Claims the file of a request that waited, and starts it. */
  async #start({ agentId, request, streamSeq }: Waiting): Promise<void> {
    const { log, ledger } = this.#parts;
    this.#busy.set(agentId, this.#early.take(agentId));
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
      this.owed.pay(agentId);
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
    void this.#status.changed();
    this.owed.pay(agentId);
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
      if (run.state === "closed") this.owed.pay(run.agentId);
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
    else this.owed.note(source);
  }

  #isWaiting(agentId: string): boolean {
    return this.#queue.has(agentId) || this.#busy.has(agentId);
  }

  #checkIdle(): void {
    if (this.#isStopping && this.#runs.size === 0 && this.#busy.size === 0) this.#onIdle();
  }

  /** The same, with what commands want to know. */
  #liveStatus(): LiveStatus {
    const fallback = defaultBackend(this.#parts.settings(), process.env);
    return {
      ...this.status(),
      pid: process.pid,
      running: [...this.#runs.values()].map((run) => ({
        agent_id: run.agentId,
        persona: run.plan.persona,
        backend: run.plan.backend.name,
        elapsed_seconds: run.elapsedSeconds,
        attempt: run.attempt,
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
  }
}

/** The first line of a run's file: the request as received, its secrets replaced. */
export function requestLine(request: Request): EventBody {
  return { ...(redacted(request) as Request), event: "request" };
}
