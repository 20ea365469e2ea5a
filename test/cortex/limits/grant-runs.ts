/** A cortex whose runs work until they are let on, and a connection that asks it for suballocations. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Bus, openBus } from "../../../bus/connection/connect.ts";
import { askGrant } from "../../../bus/runs/grants.ts";
import { addressAs, readBusAccess } from "../../../journal/access/endpoints.ts";
import { type AgentEvent, isTerminal } from "../../../protocol/runs/event.ts";
import type { GrantAnswer, GrantRequest } from "../../../protocol/runs/request/grant.ts";
import { askUntil } from "../../support/ask-until.ts";
import { CortexSystem, fixtureAgents } from "../../support/cortex-system.ts";
import { patienceMs } from "../../support/patience.ts";

export const usage = (input_tokens: number) => ({ ev: { event: "usage", model: "m", input_tokens, cost_usd: 0 } });

export class GrantRuns implements AsyncDisposable {
  readonly system: CortexSystem;
  readonly agents: Bus;

  private constructor(system: CortexSystem, agents: Bus) {
    this.system = system;
    this.agents = agents;
  }

  static async start(env: Record<string, string> = {}): Promise<GrantRuns> {
    const system = await CortexSystem.start({ settings: fixtureAgents("scripted"), env });
    const access = readBusAccess(system.journal);
    if (!access) throw new Error("no bus");
    return new GrantRuns(system, await openBus(addressAs(access, "agents"), "agents", patienceMs));
  }

  /** Asks for a share of a run at work, and again while nobody has answered in time. */
  askFor(id: string, request: GrantRequest): Promise<GrantAnswer> {
    const ask = () => askGrant(this.agents, id, request);
    return askUntil(ask, () => `an answer to ${JSON.stringify(request)}`, patienceMs);
  }

  /** The file whose presence lets a run on. */
  gate(id: string): string {
    return join(this.system.journal, `gate-${id}`);
  }

  grants(id: string): AgentEvent[] {
    return this.system.file(id).filter(({ event }) => event === "granted");
  }

  /** A run that has used 100 tokens, waits to be let on, uses more, and finishes. */
  async atWork(then: number, limits: Record<string, unknown>): Promise<string> {
    const id = this.system.nextId();
    const steps = [usage(100), { await: this.gate(id) }, usage(then), { ev: { event: "finish", result: "." } }];
    this.system.steps(steps, limits, id);
    await this.system.until(() => this.system.file(id).some(({ event }) => event === "usage"), "it is at work");
    return id;
  }

  /** Lets a run on, and returns its terminal event. */
  async endOf(id: string): Promise<AgentEvent | undefined> {
    writeFileSync(this.gate(id), "");
    return (await this.system.settled(id)).find(isTerminal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.agents[Symbol.asyncDispose]();
    await this.system[Symbol.asyncDispose]();
  }
}
