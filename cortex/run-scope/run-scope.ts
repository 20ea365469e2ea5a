/** The facts of one run, which the parts that carry it out share. */
import type { AgentEvent, EventBody } from "../../protocol/runs/event.ts";
import { RunBudget } from "../limits/run-budget.ts";
import type { RunSoFar } from "../limits/run-so-far.ts";
import type { InputIds } from "../model/input-ids.ts";
import type { AgentOutput } from "../output/agent-output.ts";
import { secretsOf } from "../output/run-secrets.ts";
import type { RunWriter } from "../output/run-writer.ts";
import type { Plan } from "../plan/merge.ts";
import type { ResourceLimits } from "../plan/resource-limits.ts";
import { type RunRecord, tokensOf } from "../plan/run-record.ts";
import type { RunContext } from "./run-context.ts";
import type { RunMachine } from "./run-machine.ts";

export class RunScope {
  readonly context: RunContext;
  readonly agentId: string;
  readonly plan: Plan;
  readonly writer: RunWriter;
  readonly machine: RunMachine;
  readonly budget: RunBudget;
  /** Which model calls the gateway has told of, as the file has them. */
  readonly meteredCalls: Set<string>;
  /** The inputs to the run. */
  readonly inputs: InputIds;
  /** The names of the events behind the terminal one, as the file had them when the run was taken up. */
  readonly after: ReadonlySet<string>;
  record: RunRecord;
  terminal: AgentEvent | null;
  /** When the last line of the file was said, in ms. */
  lastEvent: number | null;
  /** The output of the attempt. */
  output: AgentOutput | null = null;

  /** @param soFar what the file says already */
  constructor(
    context: RunContext,
    machine: RunMachine,
    writer: RunWriter,
    { plan, record, soFar }: { plan: Plan; record: RunRecord; soFar: RunSoFar },
  ) {
    this.context = context;
    this.machine = machine;
    this.writer = writer;
    this.agentId = writer.agentId;
    this.plan = plan;
    this.record = record;
    this.hideSecrets();
    this.budget = new RunBudget(context, this.agentId, plan, soFar);
    this.inputs = soFar.inputs;
    this.meteredCalls = soFar.meteredCalls;
    this.after = soFar.after;
    this.terminal = soFar.terminal;
    this.lastEvent = soFar.last;
  }

  /** The folder of the attempt. */
  get folder(): string {
    return this.context.processes.folder(this.agentId, this.machine.run.attempt);
  }

  /** The time, in ms. */
  get now(): number {
    return this.context.clock.now().wall;
  }

  /** The machine's resources that the run may take. */
  get resources(): ResourceLimits {
    return { ...this.context.host.resources, ...this.plan.limits };
  }

  /** Keeps what the run is given and may not tell out of all that is written; its tokens among it. */
  hideSecrets(): void {
    const { request } = this.record;
    this.writer.keepSecret([...secretsOf(request, this.plan, process.env), ...tokensOf(this.record)]);
  }

  /** Takes back what the run was allowed. Safe to repeat. */
  async revokeTokens(): Promise<void> {
    for (const token of tokensOf(this.record)) await this.context.files.revokeToken(token);
    const { mcp_token: _, gateway_token: __, ...record } = this.record;
    this.record = record;
  }

  /** Writes events, and counts what they tell of. */
  async write(events: EventBody[], maxBytes = Infinity): Promise<AgentEvent[]> {
    const written = await this.writer.write(events, maxBytes);
    for (const event of written) {
      this.budget.count(event);
      this.inputs.add(event);
      if (event.event === "usage" && typeof event["call"] === "string") this.meteredCalls.add(event["call"]);
    }
    this.lastEvent = written.at(-1)?.ts ?? this.lastEvent;
    return written;
  }

  /** Writes an event of cortex's own, which isn't a line of the output as it stands. */
  async writeOwn(event: EventBody): Promise<void> {
    if (this.machine.run.state !== "closing") await this.output?.notePlace(1);
    await this.write([event]);
  }

  /** A full disk must not keep a run from being stopped. */
  async ifPossible(work: () => void | Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.context.log.error({ agent_id: this.agentId, err: error }, "a run's folder couldn't be read or written to");
    }
  }
}
