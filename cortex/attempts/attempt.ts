/** One attempt after the other of a run: starts its process, follows what it says to its end, begins the next. */
import { messageOf } from "../../files/errors/error-message.ts";
import { failpoint } from "../../proc/programs/failpoint.ts";
import type { Message } from "../../protocol/runs/run-config.ts";
import { ConfigError } from "../model/config-error.ts";
import { AgentOutput, traceOf } from "../output/agent-output.ts";
import { OutputCap } from "../output/output-cap.ts";
import type { AttemptHistory } from "../plan/history.ts";
import { causeOf } from "../plan/resource-limits.ts";
import type { AttemptLimits } from "./attempt-limits.ts";
import type { Metering } from "./metering.ts";
import { outputSink } from "./output-sink.ts";
import type { RunScope } from "../run-scope/run-scope.ts";

export class Attempt {
  readonly #scope: RunScope;
  readonly #limits: AttemptLimits;
  readonly #metering: Metering;
  readonly #history: Message[];
  output: AgentOutput;

  /** @param history what the run goes on from */
  constructor(scope: RunScope, limits: AttemptLimits, metering: Metering, history: Message[]) {
    this.#scope = scope;
    this.#limits = limits;
    this.#metering = metering;
    this.#history = history;
    this.output = this.#newOutput();
  }

  /** Starts its process, unless nothing is left that it may use. */
  launch(): Promise<void> {
    const { machine, budget, context } = this.#scope;
    return machine.inTurn(async () => {
      const error = budget.spentUp();
      if (error !== null) return machine.apply({ type: "startFailed", error, reason: "budget" });
      try {
        const full = context.host.diskWatch.checkSpace();
        if (full !== null) return await machine.apply({ type: "startFailed", error: full, reason: "internal" });
        if (!(await this.#startProcess())) return await machine.apply({ type: "fenced" });
        this.#limits.start();
        await machine.apply({ type: "started" });
        await this.giveMissingInputs();
      } catch (error) {
        const reason = error instanceof ConfigError ? "config" : "internal";
        await machine.apply({ type: "startFailed", error: messageOf(error), reason });
      }
    });
  }

  async #startProcess(): Promise<boolean> {
    const { agentId, plan, record, resources, writer, inputs } = this.#scope;
    const { processes, host, owner, settings } = this.#scope.context;
    const { attempt } = this.#scope.machine.run;
    const { messages: history, hasPrompt } = await this.#historySoFar();
    const mayStart = owner.mayStart(agentId, attempt);
    mayStart.catch(() => {}); // heard by the start, unless the preparation fails before
    return processes.start({
      timeZone: host.timeZone,
      resources,
      agentId,
      attempt,
      plan,
      history,
      hasPrompt,
      formerInputs: hasPrompt ? inputs.untaken : [],
      waitingCalls: this.#scope.budget.waits.calls,
      settings: settings(),
      workFolder: record.work_folder,
      mcpToken: record.mcp_token,
      gatewayToken: record.gateway_token,
      hide: (text) => writer.hide(text),
      mayStart,
    });
  }

  /** Gives the process the inputs that stand in the file and that it wasn't given: they came before it, or cortex died in between. */
  async giveMissingInputs(): Promise<void> {
    const { agentId, context, folder, inputs } = this.#scope;
    const { untaken } = inputs;
    if (untaken.length === 0) return;
    await this.#scope.ifPossible(async () => {
      const given = await context.processes.givenInputs(folder);
      const missing = new Set(untaken.filter((id) => !given.has(id)));
      if (missing.size === 0) return;
      for await (const { event } of context.files.reader(agentId).lines(1, [Buffer.from('"input"')])) {
        const { event: name, id, text, parts } = event;
        if (name !== "input" || typeof id !== "string" || !missing.delete(id)) continue;
        await context.processes.put(folder, JSON.stringify({ type: "input", text, parts, id }));
      }
    });
  }

  /** Reads the history from which the run goes on, and what was said in its former attempts. */
  async #historySoFar(): Promise<AttemptHistory> {
    const { machine, context, agentId } = this.#scope;
    if (machine.run.attempt === 1) return { messages: this.#history, hasPrompt: false };
    return context.files.attemptHistory(agentId, this.#history);
  }

  /** Follows attempt after attempt until there is none. */
  async follow(): Promise<void> {
    const { machine, budget } = this.#scope;
    using _ = budget.onOthers(() => this.#limits.checkDay());
    while (!machine.isOver) {
      const { attempt } = machine.run;
      await this.#read();
      if (machine.run.attempt === attempt) break;
      await this.launch();
    }
    await machine.idle();
  }

  /** Reads the agent's output to its end, and says how it ended. */
  async #read(): Promise<void> {
    const { folder, plan, machine, agentId, resources, writer, context } = this.#scope;
    const { clock, processes } = context;
    using _cap = new OutputCap(
      clock,
      () => processes.printed(folder),
      plan.limits.max_output_bytes,
      (error) => {
        void machine.step({ type: "stop", reason: "budget", error, atOnce: true });
      },
    );
    await this.output.read();
    await processes.sweep(folder);
    failpoint("process-gone");
    const trace = await traceOf(
      (maxBytes) => processes.errors(folder, maxBytes),
      (text) => writer.hide(text),
    );
    if (trace !== "") context.log.info({ agent_id: agentId, stderr: trace }, "stderr of the agent");
    await machine.inTurn(() => this.#limits.checkDisk());
    const exit = processes.exit(folder);
    await machine.step({ type: "gone", exit, trace, cause: causeOf(exit.code, trace, resources) });
  }

  /** Keeps a new record for the next attempt, with a token, a folder and an output of its own. */
  async beginAgain(): Promise<void> {
    const { machine, plan, agentId, lastEvent, now, context, budget } = this.#scope;
    const { files } = context;
    machine.disarmStepTimer();
    await this.#scope.revokeTokens();
    const { record } = this.#scope;
    await files.removeWorkFolder(record.work_folder, plan);
    const work_folder = await files.makeWorkFolder(agentId, plan, context.settings().folders);
    const token = await files.issueToken(agentId, plan, work_folder, this.#scope.resources);
    const gatewayToken = await files.issueGatewayToken(agentId, plan);
    this.#scope.record = {
      ...record,
      attempt: machine.run.attempt,
      lost: machine.run.lost,
      spent_ms: budget.msBefore(record, lastEvent),
      started: now,
      work_folder,
      ...(token === undefined ? {} : { mcp_token: token }),
      ...(gatewayToken === undefined ? {} : { gateway_token: gatewayToken }),
    };
    this.#scope.hideSecrets();
    await files.keepRecord(agentId, this.#scope.record);
    failpoint("next-attempt-kept");
    this.output = this.#newOutput();
    await context.processes.prepare(this.#scope.folder);
  }

  #newOutput(): AgentOutput {
    const { folder, plan, record, now, context } = this.#scope;
    const elapsedMs = now - record.started;
    const sink = outputSink(this.#scope, this.#limits, this.#metering);
    const output = new AgentOutput(context.processes, folder, plan.limits.max_output_bytes, elapsedMs, sink);
    this.#scope.output = output;
    return output;
  }
}
