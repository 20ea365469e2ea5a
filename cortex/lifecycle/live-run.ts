/** A run in progress: carries out what the table says, one input after the other. */
import { messageOf } from "../../files/error-message.ts";
import { attemptFolder } from "../../journal/runs/run-folder.ts";
import { revokeToken } from "../../journal/access/tokens.ts";
import { exitOf, prepareRun, putLine, recordStop, signalRun, stopReasonOf, sweepRun } from "../../proc/runs/run.ts";
import { type AgentEvent, type EventBody, isTerminal } from "../../protocol/runs/event.ts";
import { textField } from "../../protocol/runs/text-field.ts";
import type { GrantAnswer, GrantRequest } from "../../protocol/runs/grant.ts";
import type { Message } from "../../protocol/runs/run-config.ts";
import { AgentOutput, traceOf } from "../output/agent-output.ts";
import { Allowance, msBefore } from "../limits/allowance.ts";
import { RunClocks } from "../limits/clocks.ts";
import { ConfigError } from "../model/config-error.ts";
import { attemptHistory } from "../plan/history.ts";
import type { Plan } from "../plan/merge.ts";
import { handOn, saveAsPlanned } from "./last-word.ts";
import { OutputCap } from "../output/output-cap.ts";
import { causeOf, type ResourceLimits } from "../plan/resource-limits.ts";
import type { RunHost } from "./run-host.ts";
import { inputBounds, InputCount } from "../model/input-bounds.ts";
import { inputFor } from "./run-input.ts";
import { childOf, keepRecord, type RunRecord } from "../plan/run-record.ts";
import { secretsOf } from "../output/run-secrets.ts";
import type { RunSoFar } from "../limits/run-so-far.ts";
import type { RunWriter } from "../output/run-writer.ts";
import { setAside } from "./set-aside.ts";
import { makeWorkFolder, removeWorkFolder, startAttempt, tokenFor } from "../process/start-process.ts";
import { type Effect, type Input, leaveMs, next, type Run, type StopReason } from "../model/table.ts";
import { reached } from "../../proc/programs/durable-point.ts";

/** No process of the run is left to be followed here. */
const isOver = (state: Run["state"]) =>
  state === "closing" || state === "closed" || state === "suspended" || state === "fenced";
export class LiveRun {
  readonly agentId: string;
  readonly plan: Plan;
  record: RunRecord;
  readonly #host: RunHost;
  readonly #writer: RunWriter;
  readonly #history: Message[];
  #run: Run;
  /** Of the attempt that it is at. */
  #output: AgentOutput;
  readonly #allowance: Allowance;
  readonly #inputs = new InputCount();
  #turn: Promise<void> = Promise.resolve();
  #clocks: RunClocks | null = null;
  #watch: Disposable | null = null;
  #diskWatch: Disposable | null = null;
  /** Why what it printed since can't be trusted to be all. */
  #diskFull: string | null = null;
  #stepTimer: NodeJS.Timeout | undefined;
  #terminal: AgentEvent | null;
  readonly #after: ReadonlySet<string>;
  /** When the last line of the file was said, in ms. */
  #lastEvent: number | null;

  /** @param soFar what the file says already */
  constructor(host: RunHost, writer: RunWriter, plan: Plan, record: RunRecord, history: Message[], soFar: RunSoFar) {
    this.#host = host;
    this.#writer = writer;
    this.agentId = writer.agentId;
    this.plan = plan;
    this.record = record;
    this.#history = history;
    this.#keepSecret();
    this.#allowance = new Allowance(host, this.agentId, plan, soFar);
    this.#terminal = soFar.terminal;
    this.#after = soFar.after;
    this.#lastEvent = soFar.last;
    this.#run = {
      state: "starting",
      hasStart: soFar.hasStarted(record.attempt),
      stop: null,
      step: "none",
      attempt: record.attempt,
      lost: record.lost,
      maxAttempts: plan.limits.max_attempts,
    };
    this.#output = this.#outputOf(this.#folder);
  }

  get state(): Run["state"] {
    return this.#run.state;
  }

  /** Which attempt it is at, from 1. */
  get attempt(): number {
    return this.#run.attempt;
  }

  get elapsedSeconds(): number {
    return Math.max(0, Date.now() - this.record.started) / 1000;
  }

  /** What of the machine it may take. */
  get #resources(): ResourceLimits {
    return { ...this.#host.resources, ...this.plan.limits };
  }

  get #folder(): string {
    return attemptFolder(this.#host.journal, this.agentId, this.#run.attempt);
  }

  /** Runs it from the start to its end. Resolves when nothing is owed, or when it was suspended. */
  async start(): Promise<void> {
    await this.#launch();
    await this.#live();
  }

  /**
   * Takes up a run of a cortex that died: from where its file stands.
   * @param isAlive whether its process still lives
   */
  async adopt(isAlive: boolean): Promise<void> {
    await this.#output.resume();
    const stop = stopReasonOf(this.#folder);
    if (this.#terminal) this.#run = { ...this.#run, hasStart: true, state: "draining" };
    else if (stop !== null && stop !== "orphaned") this.#resumeStop(stop as StopReason);
    else this.#run = { ...this.#run, state: "running" };
    this.#host.onChange();
    await this.#do(() => this.#writer.catchUp());
    // Before what it says is read: it may have ended by then, on an input that came first.
    if (isAlive && this.#run.state === "running")
      await this.#do(() => this.#own({ event: "adopted", worker: this.#host.worker }));
    // What was said while nobody listened counts, whatever the clocks say by now.
    await this.#do(() => this.#output.readWhatIsThere());
    if (this.#run.state === "running") await this.#do(() => this.#goOn(isAlive));
    else if (this.#terminal) this.#arm(leftToLeave(this.#terminal.ts));
    else this.#arm(0);
    await this.#live();
  }

  /**
   * Does what is left of a run whose process is gone: save, handoff, the file's final name.
   * @param isDecided whether what it hands on was decided before its last word was written, on this host
   */
  async settleOnly(isDecided: boolean): Promise<void> {
    this.#run = { ...this.#run, hasStart: true, state: "closing" };
    await this.#do(() => this.#writer.catchUp());
    const finish = this.#terminal?.event === "finish" && !this.#after.has("handoff") ? this.#terminal : null;
    // Its notes would come behind the last word, where none may stand.
    if (!isDecided && finish) await this.#do(async () => void (await this.#handOn(finish)));
    await this.#do(() => this.#settle());
  }

  /** Gives an input to the table and carries out what follows. */
  step(input: Input): Promise<void> {
    if (input.type !== "input") return this.#do(() => this.#apply(input));
    const heard = this.#heard(input);
    if (heard === null) return Promise.resolve();
    if (!this.#inputs.begin(heard))
      return this.#inputs.refused === 1 ? this.#do(() => this.#tellRefused()) : Promise.resolve();
    return this.#do(() => this.#apply(heard)).finally(() => this.#inputs.end(heard));
  }

  /** Said once: whoever says more than a run can take would fill its file with this, too. */
  async #tellRefused(): Promise<void> {
    const { inputs, bytes } = inputBounds.whole;
    const message = `inputs are refused: more is said to this run than it takes in (at most ${inputs} inputs, ${bytes / 1024 / 1024} MiB)`;
    this.#host.log.warn({ agent_id: this.agentId }, message);
    if (this.#run.state === "running") await this.#own({ event: "info", message });
  }

  #heard(input: Extract<Input, { type: "input" }>): Input | null {
    const { request } = this.record;
    const text = inputFor(request, input.text, input.from);
    if (text !== null) return { ...input, text };
    this.#host.log.warn(
      { agent_id: this.agentId, agent: request.agent, from: input.from },
      "an input is refused: what is said to the turn of an agent goes to that agent (cortex chat --agent ID)",
    );
    return null;
  }

  /**
   * Gives a share of what is left of its limits to somebody whom it sends off; under the same id only once.
   * Null: it isn't at work yet.
   */
  async grant(request: GrantRequest): Promise<GrantAnswer | null> {
    let answer: GrantAnswer | null = null;
    await this.#do(async () => {
      answer = await this.#grant(request);
    });
    return answer;
  }

  /** The bus was away: what it missed goes out before anything else does. */
  fallBehind(): void {
    this.#writer.fallBehind();
  }

  /** What the bus missed goes out from the file. */
  catchUp(): void {
    void this.#do(() => this.#writer.catchUp());
  }

  /** Kills at once whatever is left. */
  kill(): void {
    signalRun(this.#folder, "SIGKILL");
  }

  /** One thing after the other: the file has one writer, and the table one input at a time. */
  #do(work: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch((error: unknown) => {
      this.#host.log.error({ agent_id: this.agentId, err: error }, "a step of a run failed");
    });
    return turn;
  }

  async #apply(input: Input): Promise<void> {
    const before = this.#run.state;
    const { run, effects } = next(this.#run, input);
    this.#run = run;
    if (run.state !== before) this.#host.onChange();
    this.#host.log.debug({ agent_id: this.agentId, from: before, input: input.type, to: run.state }, "transition");
    for (const effect of effects) await this.#carryOut(effect);
  }

  async #carryOut(effect: Effect): Promise<void> {
    switch (effect.do) {
      case "append":
        return effect.event.event === "start" ? this.#own(this.#completeStart(effect.event)) : this.#own(effect.event);
      case "pass":
        return this.#output.note();
      case "end":
        return this.#end(effect.event);
      case "ask":
        await this.#ifPossible(() => putLine(this.#folder, JSON.stringify(effect.line)));
        return reached("input put");
      case "recordStop":
        await this.#ifPossible(() => recordStop(this.#folder, effect.reason));
        return reached("stop recorded");
      case "signal":
        signalRun(this.#folder, effect.signal);
        return effect.signal === "SIGKILL" ? sweepRun(this.#folder) : undefined;
      case "stepTimer":
        return this.#arm(effect.ms);
      case "stopClocks":
        return this.#stopClocks();
      case "settle":
        return this.#settle();
      case "startAgain":
        return this.#beginAgain();
      case "setAside":
        clearTimeout(this.#stepTimer);
        await this.#writer.abandon();
        return setAside(this.#host, this.agentId, this.record);
      case "suspend":
        clearTimeout(this.#stepTimer);
        if (this.#host.isStopping()) return this.#writer.release();
        return this.#apply({ type: "resume" });
    }
  }

  /** A full disk must not keep a run from being stopped. */
  async #ifPossible(work: () => void | Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#host.log.error({ agent_id: this.agentId, err: error }, "a run's folder couldn't be written to");
    }
  }

  #launch(): Promise<void> {
    return this.#do(async () => {
      const error = this.#allowance.spentUp();
      if (error !== null) return this.#apply({ type: "startFailed", error, reason: "budget" });
      try {
        const full = this.#host.diskWatch.look();
        if (full !== null) return await this.#apply({ type: "startFailed", error: full, reason: "internal" });
        const { journal, isolation, timeZone, warm } = this.#host;
        const mayStart = this.#host.mayStart(this.agentId, this.#run.attempt);
        mayStart.catch(() => {}); // heard below, unless the preparation fails before
        const isStarted = await startAttempt({
          journal,
          isolation,
          timeZone,
          warm,
          resources: this.#resources,
          agentId: this.agentId,
          attempt: this.#run.attempt,
          plan: this.plan,
          history: await this.#historySoFar(),
          settings: this.#host.settings(),
          workFolder: this.record.work_folder,
          mcpToken: this.record.mcp_token,
          mayStart,
        });
        if (!isStarted) return await this.#apply({ type: "fenced" });
        this.#startClocks();
        await this.#apply({ type: "started" });
      } catch (error) {
        const message = messageOf(error);
        const reason = error instanceof ConfigError ? "config" : "internal";
        await this.#apply({ type: "startFailed", error: message, reason });
      }
    });
  }

  /** What it is given and may not tell; its token for the tools among it. */
  #keepSecret(): void {
    const { request, mcp_token } = this.record;
    this.#writer.keepSecret([...secretsOf(request, this.plan, process.env), ...(mcp_token ? [mcp_token] : [])]);
  }

  /** What the run goes on from, and what its former attempts did. */
  async #historySoFar(): Promise<Message[]> {
    if (this.#run.attempt === 1) return this.#history;
    return [...this.#history, ...(await attemptHistory(this.#host.journal, this.agentId))];
  }

  /** Follows attempt after attempt until there is none. */
  async #live(): Promise<void> {
    using _ = this.#allowance.onOthers(() => this.#checkDay());
    while (!isOver(this.#run.state)) {
      const { attempt } = this.#run;
      await this.#read();
      if (this.#run.attempt === attempt) break;
      await this.#launch();
    }
    await this.#turn;
  }

  /** Reads the agent's output to its end, and says how it ended. */
  async #read(): Promise<void> {
    const folder = this.#folder;
    using _cap = new OutputCap(folder, this.plan.limits.max_output_bytes, (error) => {
      void this.step({ type: "stop", reason: "budget", error, atOnce: true });
    });
    await this.#output.read();
    await sweepRun(folder);
    reached("process gone");
    const trace = await traceOf(folder, (text) => this.#writer.hide(text));
    if (trace !== "") this.#host.log.info({ agent_id: this.agentId, stderr: trace }, "stderr of the agent");
    await this.#do(() => this.#checkDisk());
    const exit = exitOf(folder);
    await this.step({ type: "gone", exit, trace, cause: causeOf(exit.code, trace, this.#resources) });
  }

  /** A run that is taken up goes on. One that has ended by itself has a while to be found so, whatever its wall clock says. */
  async #goOn(isAlive: boolean): Promise<void> {
    await this.#checkBudget();
    if (this.#run.state === "running") this.#startClocks(isAlive ? 0 : leaveMs);
  }

  #outputOf(folder: string): AgentOutput {
    const { max_output_bytes } = this.plan.limits;
    return new AgentOutput(folder, max_output_bytes, Date.now() - this.record.started, {
      nextSeq: () => this.#writer.nextSeq,
      size: () => this.#writer.size,
      heard: () => this.#clocks?.heard(),
      inTurn: (work) => this.#do(work),
      isPlain: (event) => this.#isPlain(event),
      write: (events, maxBytes) => this.#write(events, maxBytes),
      step: (event, take) => this.#hear(event, take),
      pass: (event) => this.plan.stream && this.#writer.pass(event),
      used: () => this.#checkBudget(),
      tooMuch: async (error) => {
        if (this.#run.stop === null) await this.#apply({ type: "stop", reason: "budget", error, atOnce: true });
      },
      paced: () => this.#host.publisher.paced(),
    });
  }

  #isPlain(event: EventBody): boolean {
    return (
      this.#run.hasStart && !isTerminal(event) && (this.#run.state === "running" || this.#run.state === "stopping")
    );
  }

  /** An event that the table decides on. What cortex writes because of it stands before it, in the file and in the cursor. */
  async #hear(event: EventBody, take: () => void): Promise<void> {
    if (this.#run.state === "draining" || this.#run.state === "closing") return; // after the last word nothing counts
    if (isTerminal(event)) await this.#checkDisk();
    const isStart = !this.#run.hasStart && event.event === "start";
    if (isStart) take();
    const { run, effects } = next(this.#run, { type: "event", event });
    this.#run = run;
    this.#host.onChange();
    for (const effect of effects) {
      if (effect.do === "pass" || (effect.do === "append" && effect.event === event)) take();
      await this.#carryOut(effect);
    }
    take();
    await this.#checkBudget();
  }

  async #checkBudget(): Promise<void> {
    const caveat = this.#run.state === "running" ? this.#allowance.takeCaveat() : null;
    if (caveat !== null) await this.#own({ event: "info", message: caveat });
    const error = this.#allowance.reached();
    if (error !== null) await this.#apply({ type: "stop", reason: "budget", error });
  }

  async #grant(request: GrantRequest): Promise<GrantAnswer | null> {
    // What it used before it asked counts, and may not have been read yet.
    if (this.#run.state === "running") await this.#output.readWhatIsThere();
    if (this.#run.state === "starting") return null;
    if (this.#run.state !== "running") return { ok: false, error: "the run is over" };
    const grant = this.#allowance.grant(request, this.record);
    if ("spent" in grant) return { ok: false, error: `nothing is left of ${grant.spent}` };
    const { limits, isNew } = grant;
    if (isNew && Object.keys(limits).length > 0) await this.#own({ event: "granted", id: request.id, limits });
    this.#clocks?.setWall(this.#allowance.wallClock(this.record).ms);
    return { ok: true, limits };
  }

  /** Kills it at once, whatever its file waits for: what it would print now would be lost. */
  #stopOnFullDisk(error: string): void {
    this.#diskFull = error;
    if (this.#run.state !== "running") return;
    void this.#ifPossible(() => recordStop(this.#folder, "internal"));
    this.kill();
    void this.#do(() => this.#checkDisk());
  }

  /** An end of its own doesn't count once the disk was full. */
  async #checkDisk(): Promise<void> {
    if (this.#run.state !== "running") return;
    this.#host.diskWatch.look();
    if (this.#diskFull !== null)
      await this.#apply({ type: "stop", reason: "internal", error: this.#diskFull, atOnce: true });
  }

  /** Others have used something, of what all may use together. */
  #checkDay(): void {
    const error = this.#allowance.dayIsOver();
    if (error !== null) void this.step({ type: "stop", reason: "budget", error });
  }

  #completeStart(event: EventBody): EventBody {
    const { persona, backend, model } = this.plan;
    const known = { persona, backend: backend.name, model: model ?? null, prompt: this.record.request.prompt };
    const { event: name, attempt, ...own } = event;
    return { event: name, ...known, ...own, attempt };
  }

  /** Writes an event that isn't a line of the output as it stands. */
  async #own(event: EventBody): Promise<void> {
    if (this.#run.state !== "closing") await this.#output.note(1);
    await this.#write([event]);
  }

  /** Writes events, and counts what they tell of. */
  async #write(events: EventBody[], maxBytes = Infinity): Promise<AgentEvent[]> {
    const written = await this.#writer.write(events, maxBytes);
    for (const event of written) this.#allowance.count(event);
    this.#lastEvent = written.at(-1)?.ts ?? this.#lastEvent;
    return written;
  }

  #handOn(finish: EventBody): Promise<string[]> {
    const left = this.#allowance.left(this.record, finish);
    return handOn(finish, this.agentId, this.plan, this.record.chain_length, left, this.#host);
  }

  /** The last word, without secrets also for what comes of it. What the handoff has to say is said before it. */
  async #end(said: EventBody): Promise<void> {
    const event = this.#writer.shown(said);
    if (event.event === "finish") {
      const notes = await this.#handOn(event);
      const lastCaveat = this.#allowance.lastCaveat(event);
      for (const message of lastCaveat === null ? notes : [...notes, lastCaveat])
        await this.#own({ event: "info", message });
    }
    const usage = event["usage"] ?? this.#allowance.totals;
    const [written] = await this.#write([usage === null ? event : { ...event, usage }]);
    this.#terminal = written ?? null;
    reached("last word written");
    if (this.record.mcp_token !== undefined) await revokeToken(this.#host.journal, this.record.mcp_token);
    reached("token revoked");
  }

  /** What is owed after the last word, each step once: save, handoff, the file's final name. */
  async #settle(): Promise<void> {
    clearTimeout(this.#stepTimer);
    this.#stopClocks();
    const { journal } = this.#host;
    if (!(await this.#host.mayEnd(this.agentId))) return this.#apply({ type: "fenced" });
    if (this.#terminal?.event === "finish") {
      if (this.plan.save !== undefined && !this.#after.has("saved") && !this.#after.has("save_failed"))
        await this.#save(this.plan, textField(this.#terminal, "result"));
      const child = childOf(journal, this.agentId);
      if (child && !this.#after.has("handoff")) await this.#own({ event: "handoff", to: String(child.request.ts) });
      reached("handoff written");
    }
    await this.#writer.close();
    reached("file committed");
    await this.#apply({ type: "settled" });
  }

  async #save(plan: Plan, result: string): Promise<void> {
    const event = await saveAsPlanned(this.#host, plan, result);
    reached("saved");
    await this.#own(event);
    reached("save written");
  }

  async #beginAgain(): Promise<void> {
    const { journal } = this.#host;
    clearTimeout(this.#stepTimer);
    if (this.record.mcp_token !== undefined) await revokeToken(journal, this.record.mcp_token);
    const token = await tokenFor(journal, this.agentId, this.plan);
    await removeWorkFolder(this.record.work_folder, this.plan);
    const { mcp_token: _, ...record } = this.record;
    this.record = {
      ...record,
      attempt: this.#run.attempt,
      lost: this.#run.lost,
      spent_ms: msBefore(record, this.#lastEvent),
      started: Date.now(),
      work_folder: await makeWorkFolder(journal, this.plan),
      ...(token === undefined ? {} : { mcp_token: token }),
    };
    this.#keepSecret();
    await keepRecord(journal, this.agentId, this.record);
    reached("next attempt kept");
    this.#output = this.#outputOf(this.#folder);
    await prepareRun(this.#folder);
  }

  #resumeStop(reason: StopReason): void {
    const limit = reason === "budget" ? this.#allowance.reached() : null;
    const own: Partial<Record<StopReason, string>> = {
      shutdown: "stopped with cortex",
      internal: "disk full: what it printed could be lost",
    };
    const error = limit ?? own[reason] ?? `stopped: ${reason}`;
    this.#run = { ...this.#run, state: "stopping", step: "asked", stop: { reason, error } };
  }

  /** @param leastMs how much of the wall clock is left at least */
  #startClocks(leastMs = 0): void {
    const { idle_timeout_seconds } = this.plan.limits;
    const wallMs = Math.max(leastMs, this.#allowance.wallClock(this.record).ms);
    this.#stopClocks();
    this.#clocks = new RunClocks(wallMs, idle_timeout_seconds * 1000, (limit) => {
      const isWall = limit === "timeout";
      const { reason, error } = isWall ? this.#allowance.wallClock(this.record) : silence(idle_timeout_seconds);
      void this.step({ type: "stop", reason, error });
    });
    this.#diskWatch = this.#host.diskWatch.over((error) => this.#stopOnFullDisk(error));
    this.#watch = this.#host.resourceWatch.over(this.#folder, this.#resources, (exceeded) => {
      void this.step({ type: "stop", reason: "budget", ...exceeded });
    });
  }

  #stopClocks(): void {
    this.#clocks?.[Symbol.dispose]();
    this.#clocks = null;
    this.#watch?.[Symbol.dispose]();
    this.#watch = null;
    this.#diskWatch?.[Symbol.dispose]();
    this.#diskWatch = null;
  }

  #arm(ms: number): void {
    clearTimeout(this.#stepTimer);
    this.#stepTimer = setTimeout(() => void this.step({ type: "stepTimer" }), ms);
  }
}

const silence = (seconds: number) =>
  ({ reason: "idle", error: `said nothing for idle_timeout_seconds, ${seconds} s` }) as const;

/** How long whoever has said its last word may still be there, by a clock that may have been set since. */
const leftToLeave = (lastWord: number) => Math.min(leaveMs, Math.max(0, lastWord + leaveMs - Date.now()));
