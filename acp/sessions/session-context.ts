/** The parts of an open session that its prompts, its replay and its agent share. */
import type { SerialQueue } from "../../files/locks/serial-queue.ts";
import type { AgentEvent } from "../../protocol/runs/event.ts";
import { isTerminal } from "../../protocol/runs/event.ts";
import { textField } from "../../protocol/runs/text-field.ts";
import type { AcpDeps } from "../base/acp-deps.ts";
import { isAgent } from "../choices/modes.ts";
import { readSession, type SessionRecord, writeSession } from "../../journal/editor-sessions/session-store.ts";
import { EventUpdates } from "../updates/event-updates.ts";
import { questionOf } from "../updates/question.ts";
import type { OwnTurns } from "./own-turns.ts";
import type { PermissionRequests } from "./permission-requests.ts";
import type { SessionOut } from "./session-out.ts";

export type SessionParts = {
  deps: AcpDeps;
  out: SessionOut;
  permissions: PermissionRequests;
  turns: OwnTurns;
  /** The writes and removals of sessions by this process. */
  writes: SerialQueue;
};

export class SessionContext {
  readonly deps: AcpDeps;
  readonly out: SessionOut;
  readonly permissions: PermissionRequests;
  readonly turns: OwnTurns;
  record: SessionRecord;
  #updates: EventUpdates;
  readonly #writes: SerialQueue;
  /** Whether its record is on the disk: where it isn't any more, somebody has deleted it. */
  #isKept: boolean;
  /** The questions of the run. */
  readonly #asked = new Set<string>();
  /** How the last model call ended, as its `usage` said. */
  lastFinishReason: unknown;

  /** @param isKept whether the record was read from the disk */
  constructor({ deps, out, permissions, turns, writes }: SessionParts, record: SessionRecord, isKept: boolean) {
    this.deps = deps;
    this.out = out;
    this.permissions = permissions;
    this.turns = turns;
    this.record = record;
    this.#writes = writes;
    this.#isKept = isKept;
    this.#updates = updatesOf(deps, record);
  }

  /** Tells the editor what an event of a run means. Resolves when that is written. */
  async tell(event: AgentEvent): Promise<void> {
    this.#note(event);
    await this.out.send(this.#updates.next(event));
    this.askAbout(event);
  }

  /** Tells an event of former times. @param isShown whether the editor wants it; else it is only counted */
  async replay(event: AgentEvent, isShown: boolean): Promise<void> {
    this.#note(event);
    const updates = this.#updates.next(event, true);
    const wanted = isShown ? updates : updates.filter(({ sessionUpdate }) => sessionUpdate === "usage_update");
    await this.out.send(wanted);
  }

  /** Puts what an event asks to the editor, and takes back what is decided. */
  askAbout(event: AgentEvent): void {
    const id = textField(event, "id");
    if (event.event === "permission") {
      this.#asked.add(id);
      this.permissions.ask(id, questionOf(event, this.#updates.folder));
    }
    if (event.event === "permission_decided") this.#forget([id]);
    if (isTerminal(event)) this.#forget(this.#asked);
  }

  #forget(ids: Iterable<string>): void {
    for (const id of ids) {
      this.#asked.delete(id);
      this.permissions.forget(id);
    }
  }

  /**
   * Changes the record, on the disk as well: another process may have gone on with the session meanwhile. A session that was deleted
   * stays deleted.
   */
  keep(change: (record: SessionRecord) => Partial<SessionRecord>): Promise<void> {
    return this.#writes.run(async () => {
      const kept = readSession(this.deps.journal, this.record.id);
      const now = { ...this.record, runs: (kept ?? this.record).runs };
      this.record = { ...now, ...change(now), updated: Date.now() };
      if (this.#isKept && kept === null) return;
      await writeSession(this.deps.journal, this.record);
      this.#isKept = true;
    });
  }

  /** Begins to count anew: what comes is of a persona's runs, or of an agent's turns. */
  restart(): void {
    this.#updates = updatesOf(this.deps, this.record);
  }

  #note(event: AgentEvent): void {
    if (event.event === "request") this.lastFinishReason = undefined;
    if (event.event === "usage" && event["purpose"] === undefined) this.lastFinishReason = event["finish_reason"];
  }
}

const updatesOf = ({ journal }: AcpDeps, { mode }: SessionRecord) =>
  new EventUpdates({ journal, isAgent: isAgent(mode) });
