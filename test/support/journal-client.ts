/** A journal whose programs run, as a test sees it: a client of its bus, and a reader of its files and processes. */
import { join } from "node:path";
import { type Bus, openBus } from "../../bus/connection/connect.ts";
import { eventStream } from "../../bus/jetstream/streams.ts";
import { addressAs, readBusAccess } from "../../journal/access/endpoints.ts";
import { readRun } from "./read-run.ts";
import { attemptFolder } from "../../journal/run-folders/run-folder.ts";
import type { AgentEvent } from "../../protocol/runs/event.ts";
import type { Step } from "../fixtures/agents/scripted.ts";
import { askUntil } from "./ask-until.ts";
import { type JournalProcess, processesOf, signalIfThere, textOf } from "./journal-processes.ts";
import { patienceMs } from "./patience.ts";

export abstract class JournalClient {
  readonly journal: string;
  /** With a client's permissions. */
  readonly bus: Bus;
  /** Ids of tests lie in the last minute, so that none is one that cortex itself assigns. */
  #lastId = Date.now() - 60_000;

  constructor(journal: string, bus: Bus) {
    this.journal = journal;
    this.bus = bus;
  }

  /** The logs that the programs have written so far. */
  abstract get log(): string;

  nextId(): string {
    return String(++this.#lastId);
  }

  /** Publishes a request as anybody would, and returns its id. */
  request(fields: Record<string, unknown>, agentId = this.nextId()): string {
    this.bus.connection.publish("cortex.request", JSON.stringify({ ts: Number(agentId), ...fields }));
    return agentId;
  }

  /** Asks for a run of the agent `scripted`, which does these steps. */
  steps(steps: Step[], fields: Record<string, unknown> = {}, agentId = this.nextId()): string {
    return this.request({ backend: "scripted", ...fields, prompt: JSON.stringify(steps) }, agentId);
  }

  cancel(agentId: string): void {
    this.bus.connection.publish(`cortex.cancel.${agentId}`, "{}");
  }

  input(agentId: string, text: string): void {
    this.bus.connection.publish(`cortex.input.${agentId}`, JSON.stringify({ text }));
  }

  /** The events in a run's file. */
  file(agentId: string): AgentEvent[] {
    return readRun(this.journal, agentId)?.events ?? [];
  }

  /** The events of a run that the bus's stream holds, in its order: what a listener who comes late would get. */
  async stored(agentId: string): Promise<AgentEvent[]> {
    const access = readBusAccess(this.journal);
    if (!access) throw new Error(`no bus for ${this.journal}`);
    await using bus = await openBus(addressAs(access, "cortex"), "cortex", patienceMs);
    const consumer = await bus.js.consumers.get(eventStream, { filter_subjects: `cortex.event.${agentId}.>` });
    const { num_pending } = await consumer.info();
    const events: AgentEvent[] = [];
    while (events.length < num_pending)
      for await (const message of await consumer.fetch({ max_messages: num_pending - events.length, expires: 1000 }))
        events.push(message.json());
    return events;
  }

  /** All that belongs to an attempt of a run: the agent, its children, and the shim that watches over them. */
  attemptPids(agentId: string, attempt: number): number[] {
    const nonce = textOf(join(attemptFolder(this.journal, agentId, attempt), "nonce")).trim();
    if (nonce === "") return [];
    const belong = this.processes().filter(({ pid }) => textOf(`/proc/${pid}/environ`).includes(nonce));
    return belong.map(({ pid }) => pid);
  }

  /** Kills an attempt of a run with -9, and its shim with it. */
  killAttempt(agentId: string, attempt: number): void {
    const stopped = new Set<number>();
    const others = () => this.attemptPids(agentId, attempt).filter((pid) => !stopped.has(pid));
    // Stopped first: none of them starts another one meanwhile, or notes how another one ended.
    for (let found = others(); found.length > 0; found = others())
      for (const pid of found) {
        signalIfThere(pid, "SIGSTOP");
        stopped.add(pid);
      }
    for (const pid of stopped) signalIfThere(pid, "SIGKILL");
  }

  /** Asks again and again until there is an answer. */
  async until<T>(ask: () => T | Promise<T>, what: string, ms = patienceMs): Promise<NonNullable<Exclude<T, false>>> {
    return askUntil(ask, () => `${what}\n${this.log.slice(-3000)}`, ms);
  }

  /** The processes that belong to this journal. */
  processes(): JournalProcess[] {
    return processesOf(this.journal);
  }
}
