/** The way to cortex, for the owner's own clients: asks for a run, follows it and stops it, as the commands do. */
import type { Bus, BusAddress } from "../../bus/connection/connect.ts";
import type { RunFeed } from "../../bus/events/run-feed.ts";
import { followedFiles } from "../../journal/runs/followed-files.ts";
import type { Request } from "../../protocol/runs/request/request.ts";
import type { AskedRuns } from "./asked-runs.ts";
import { BusLink } from "./bus-link.ts";

export type AskedRun = Omit<Request, "ts">;

export interface RunsService {
  /** Asks for a run. @returns its id, once cortex has it  @throws Error that says why there is none */
  start(request: AskedRun): Promise<string>;
  /** The events of a run, from its first line on. To be closed. */
  follow(agentId: string): Promise<RunFeed>;
  /** Stops a run. */
  cancel(agentId: string): Promise<void>;
  /** Decides on a call that waits. @throws Error that says why it can't be */
  decide(question: string, decision: "allow" | "deny", reason: string | undefined): Promise<void>;
  /** Whether it was asked for here, though nothing of it may be there to be read yet. */
  isKnown(agentId: string): boolean;
}

export class RunsLink implements RunsService, AsyncDisposable {
  readonly #journal: string;
  readonly #addressOf: (user: "client" | "owner") => BusAddress | null;
  readonly #link = new BusLink("client");
  /** A client can't allow what it asked for itself: the owner's own clients can. */
  readonly #owner = new BusLink("owner");
  readonly #asked: AskedRuns;
  #isLeaving = false;

  /** @param addressOf the bus as that user, now; null where there is none */
  constructor(journal: string, asked: AskedRuns, addressOf: (user: "client" | "owner") => BusAddress | null) {
    this.#journal = journal;
    this.#asked = asked;
    this.#addressOf = addressOf;
  }

  async start(request: AskedRun): Promise<string> {
    const { NoCortexError, submit } = await import("../../bus/runs/client.ts");
    try {
      const agentId = await submit(await this.#bus(), request);
      this.#asked.add(agentId);
      return agentId;
    } catch (error) {
      // It is stored, and begins when a cortex does.
      if (error instanceof NoCortexError) this.#asked.add(error.agentId);
      throw error;
    }
  }

  async follow(agentId: string): Promise<RunFeed> {
    const { RunFeed } = await import("../../bus/events/run-feed.ts");
    return new RunFeed((await this.#bus()).connection, agentId, followedFiles(this.#journal).fileOf);
  }

  async cancel(agentId: string): Promise<void> {
    // Runs outlive this program: that their clients are cut off now is its doing, and not theirs.
    if (this.#isLeaving) return;
    const { publishCancel } = await import("../../bus/runs/control.ts");
    const bus = await this.#bus();
    publishCancel(bus, agentId);
    await bus.connection.flush();
  }

  async decide(question: string, decision: "allow" | "deny", reason: string | undefined): Promise<void> {
    const { callCommand } = await import("../../bus/agents/agent-calls.ts");
    const args = { id: question, decision, ...(reason !== undefined && { reason }) };
    const answer = await callCommand(await this.#bus("owner"), { command: "permissions decide", args });
    if (!answer.ok) throw new Error(answer.error);
  }

  isKnown(agentId: string): boolean {
    return this.#asked.has(agentId);
  }

  /** From now on no run is stopped because its client is cut off. */
  leave(): void {
    this.#isLeaving = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#link[Symbol.asyncDispose](), this.#owner[Symbol.asyncDispose]()]);
  }

  async #bus(user: "client" | "owner" = "client"): Promise<Bus> {
    const address = this.#addressOf(user);
    if (!address) throw new Error("there is no bus: start everything with cortex up");
    return await (user === "owner" ? this.#owner : this.#link).at(address);
  }
}
