/** The conversation with one long-lived agent: what was said, what waits to be said, its tasks, and what it does now. */
import { batch, signal } from "@preact/signals";
import { answered, type ApiRecord, client } from "../../api/client.ts";
import { listening, onMachineEvent } from "../../live/machine-events.ts";
import { saidIds } from "../../talk/talk-entries.ts";
import type { TurnFailure } from "../../talk/talk-entry.ts";
import type { TalkRecord } from "../../talk/talk-record.ts";
import { AgentHistory } from "./agent-history.ts";
import type { Companion } from "./companions-store.ts";
import { type Decision, TalkDecisions } from "./talk-decisions.ts";
import { TurnFailures } from "./turn-failures.ts";
import { TurnStream } from "./turn-stream.ts";
import { type WaitingMessage, WaitingMessages } from "./waiting-messages.ts";

export type Task = ApiRecord<"CompanionTask">;

const calmMs = 150;

export class ConversationStore {
  readonly id: string;
  readonly agent = signal<Companion | null>(null);
  readonly records = signal<TalkRecord[] | null>(null);
  readonly hasOlder = signal(false);
  /** The turns that failed, oldest first. */
  readonly failures = signal<readonly TurnFailure[]>([]);
  readonly waiting = signal<readonly WaitingMessage[]>([]);
  readonly tasks = signal<Task[]>([]);
  readonly decisions = signal<readonly Decision[]>([]);
  readonly turn = signal<TurnStream | null>(null);
  readonly problem = signal<unknown>(null);
  readonly #history: AgentHistory;
  readonly #failures: TurnFailures;
  readonly #decisions = new TalkDecisions();
  readonly #waiting = new WaitingMessages();
  #ends: (() => void)[] = [];
  #timer: ReturnType<typeof setTimeout> | null = null;
  #reading: Promise<void> | null = null;
  #isLeft = false;

  constructor(id: string) {
    this.id = id;
    this.#history = new AgentHistory(id);
    this.#failures = new TurnFailures(id);
  }

  /** Listens, then reads; returns what ends that. */
  follow(): () => void {
    this.#isLeft = false;
    this.#ends = [
      onMachineEvent("agent.changed", ({ agent_id }) => this.#isOurs(agent_id) && this.#readSoon()),
      onMachineEvent("run.changed", (run) => {
        if (run.agent === this.id && this.#failures.take(run)) this.failures.value = this.#failures.all;
      }),
      onMachineEvent("decision.requested", (decision) => this.#decided(decision)),
      onMachineEvent("decision.decided", (decision) => this.#decided(decision)),
      onMachineEvent("reset", () => void this.read()),
    ];
    void listening().then(() => this.read());
    return () => {
      this.#isLeft = true;
      this.#ends.forEach((end) => end());
      if (this.#timer !== null) clearTimeout(this.#timer);
      this.turn.value?.[Symbol.dispose]();
      this.turn.value = null;
    };
  }

  /** Reads all of it anew: what comes while it is read is read behind it. */
  async read(): Promise<void> {
    if (this.#reading) {
      await this.#reading;
      return this.#readSoon();
    }
    this.#reading = this.#read();
    await this.#reading;
    this.#reading = null;
  }

  async readOlder(): Promise<void> {
    await this.#history.readOlder();
    await this.#failures.readBack(this.#begin);
    this.#show();
  }

  /** Says something. It is shown as waiting until it is known to be. @throws ApiError, UnreachableError */
  async send(text: string, attachments: { id: string }[], isNow: boolean): Promise<void> {
    const id = `page-${crypto.randomUUID()}`;
    const mode = isNow ? ({ mode: "steer" } as const) : {};
    const body = { text, id, ...mode, ...(attachments.length > 0 && { attachments }) };
    await answered(client.POST("/api/v1/companions/{id}/messages", { params: { path: { id: this.id } }, body }));
    const sent = { id: `web:${id}`, ts: Date.now(), text, mode: isNow ? "steer" : null, isSent: true };
    if (!this.#isKnown(sent.id)) this.#waiting.add(sent);
    this.waiting.value = this.#waiting.all;
    this.#readSoon();
  }

  /** A message that waits isn't said. @throws ApiError when it was said already */
  async takeBack(message: string): Promise<void> {
    const params = { path: { id: this.id } };
    await answered(client.POST("/api/v1/companions/{id}/take-back", { params, body: { message } }));
    this.#waiting.takeBack(message);
    this.waiting.value = this.#waiting.all;
  }

  /** A message that waits is told to the turn that goes on. @throws ApiError when it was said already */
  async sayNow(message: string): Promise<void> {
    const params = { path: { id: this.id } };
    await answered(client.POST("/api/v1/companions/{id}/say-now", { params, body: { message } }));
    this.#waiting.tell(message);
    this.waiting.value = this.#waiting.all;
  }

  async stop(): Promise<void> {
    await answered(client.POST("/api/v1/companions/{id}/stop", { params: { path: { id: this.id } } }));
  }

  #isOurs(agent: unknown): boolean {
    return agent === this.id || this.tasks.value.some(({ taskId }) => taskId === agent);
  }

  #isKnown(id: string): boolean {
    return this.#waiting.all.some((item) => item.id === id) || saidIds(this.#history.records).has(id);
  }

  #readSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      void this.read();
    }, calmMs);
  }

  async #read(): Promise<void> {
    const params = { params: { path: { id: this.id } } };
    this.#decisions.ask();
    this.#waiting.ask();
    try {
      const [{ companion }, queue, tasks, decisions] = await Promise.all([
        answered(client.GET("/api/v1/companions/{id}", params)),
        answered(client.GET("/api/v1/companions/{id}/queue", params)),
        answered(client.GET("/api/v1/companions/{id}/tasks", params)),
        answered(client.GET("/api/v1/decisions")),
      ]);
      // Last: what no longer waits by then stands there.
      await this.#history.readNew();
      await this.#failures.readNew(this.#begin);
      // Nobody would close the stream of its turn.
      if (this.#isLeft) return;
      batch(() => {
        this.agent.value = companion;
        this.tasks.value = tasks.items;
        this.#takeDecisions(decisions.items);
        this.#waiting.take(queue.items);
        this.#followTurn(companion.run_id ?? null);
        this.#show();
        this.problem.value = null;
      });
    } catch (error) {
      this.problem.value = error;
    }
  }

  /** Since when what is known of it goes, in ms. */
  get #begin(): number {
    return this.#history.hasOlder ? (this.#history.records[0]?.ts ?? 0) : 0;
  }

  #show(): void {
    this.#waiting.leaveOut(saidIds(this.#history.records));
    batch(() => {
      this.records.value = this.#history.records;
      this.hasOlder.value = this.#history.hasOlder;
      this.failures.value = this.#failures.all;
      this.waiting.value = this.#waiting.all;
    });
  }

  #takeDecisions(items: Decision[]): void {
    this.#decisions.take(items.filter((decision) => this.#asksHere(decision)));
    this.decisions.value = this.#decisions.all;
  }

  #decided(decision: Decision): void {
    if (!this.#asksHere(decision)) return;
    this.#decisions.hear(decision);
    this.decisions.value = this.#decisions.all;
    this.#readSoon();
  }

  #asksHere({ agent, run }: Decision): boolean {
    return this.#isOurs(agent) || (run !== null && this.turn.value?.run === run);
  }

  #followTurn(run: string | null): void {
    const { value } = this.turn;
    if (value?.run === run) return;
    value?.[Symbol.dispose]();
    this.turn.value = run === null ? null : new TurnStream(run, (record) => this.#heard(record));
  }

  #heard(record: TalkRecord | "input"): void {
    if (record === "input") return this.#readSoon();
    this.#history.add(record);
    this.#show();
  }
}
