/**
 * Tells runs what members have decided, over the bus, until their files say so: also what a program that was killed had stored
 * and not told. Told twice, the first counts. Beside that it escalates what nobody decides in time, and closes what no run asks
 * any more.
 */
import { publishDecision } from "../../bus/agents/inbound.ts";
import type { Bus } from "../../bus/connection/connect.ts";
import type { Logger } from "../../proc/logging/log.ts";
import type { WorkspaceStore } from "../database/changes/store.ts";
import { closeApprovals, escalateApprovals, untoldDecisions } from "./asked-approvals.ts";

/** Milliseconds after which it looks again without being told of a change. */
const lookMs = 1000;
/** A decision that the run's file doesn't have is told again, in ms. */
const againMs = 5000;

export type DeliveryDeps = { store: WorkspaceStore; bus: Bus; log: Logger };

export class DecisionDelivery implements AsyncDisposable {
  readonly #deps: DeliveryDeps;
  readonly #toldAt = new Map<string, number>();
  readonly #listening: Disposable;
  readonly #timer: NodeJS.Timeout;
  #looking: Promise<void> | null = null;
  #isAgain = false;
  /** Whether it is time to see what is late, too. */
  #isTime = true;
  #isOver = false;

  constructor(deps: DeliveryDeps) {
    this.#deps = deps;
    this.#listening = deps.store.changes.listen(() => this.#lookForDecisions());
    this.#timer = setInterval(() => {
      this.#isTime = true;
      this.#lookForDecisions();
    }, lookMs).unref();
    this.#lookForDecisions();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    this.#listening[Symbol.dispose]();
    clearInterval(this.#timer);
    await this.#looking;
  }

  #lookForDecisions(): void {
    this.#isAgain = true;
    this.#looking ??= this.#lookWhileNew().finally(() => {
      this.#looking = null;
    });
  }

  async #lookWhileNew(): Promise<void> {
    const { store, log } = this.#deps;
    while (this.#isAgain && !this.#isOver) {
      this.#isAgain = false;
      try {
        await this.#deliver();
        if (this.#isTime) await escalateApprovals(store, Date.now());
        if (this.#isTime) await closeApprovals(store);
        this.#isTime = false;
      } catch (error) {
        if (!this.#isOver) log.warn({ err: error }, "decisions on agents' calls can't be told now");
      }
    }
  }

  async #deliver(): Promise<void> {
    const { store, bus } = this.#deps;
    const decisions = await untoldDecisions(store);
    const open = new Set(decisions.map(({ question }) => question));
    for (const question of this.#toldAt.keys()) if (!open.has(question)) this.#toldAt.delete(question);
    for (const { question, decision, name, reason } of decisions) {
      if (performance.now() - (this.#toldAt.get(question) ?? -againMs) < againMs) continue;
      // Whoever has the token of the web program is an owner, and the program checks who of its members may decide.
      const by = { userId: "token", userName: name.slice(0, 256), channelType: "web" };
      await publishDecision(bus, question, { decision, ...by, ...(reason !== null && { reason }) });
      this.#toldAt.set(question, performance.now());
    }
  }
}
