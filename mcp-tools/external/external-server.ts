/** One MCP server that isn't ours: connected once, shared by all runs, connected again when it dies or hangs. */
import { setTimeout as delay } from "node:timers/promises";
import type { CallToolResult, InputRequiredResult, Tool as McpTool } from "@modelcontextprotocol/server";
import type { ToolSource } from "../../journal/programs/tool-catalog.ts";
import type { Logger } from "../../proc/logging/log.ts";
import type { ProgressReporter } from "../tool/progress-reporter.ts";
import { Connection, type LastEra, type ServerTransport } from "./connection.ts";
import { firstMode } from "./eras.ts";
import { reasonOf } from "./server-errors.ts";
import { nextState, type ServerInput, type ServerState } from "./server-state-machine.ts";
import { defaultTimes, type ServerTimes } from "./server-times.ts";
import { type CallBehalf, type CalledTool, ToolCalls } from "./tool-calls.ts";
import { cleanText } from "./usable-tools.ts";

export type ExternalServerDeps = {
  name: string;
  kind: ToolSource["kind"];
  /** Whether it is a program that `open` starts, and not a server at an address. */
  isProgram: boolean;
  /** The version of the protocol that it is greeted in first; absent: as `eras.ts` says. */
  protocol?: string | undefined;
  open: () => Promise<ServerTransport>;
  /** The secrets that it was given and mustn't be shown, though it may print them. */
  secrets?: readonly string[];
  log: Logger;
  /** Called when its state or its tools have changed. */
  onChange: () => void;
  times?: Partial<ServerTimes>;
};

export class ExternalServer implements AsyncDisposable {
  readonly #deps: ExternalServerDeps;
  readonly #times: ServerTimes;
  readonly #calls: ToolCalls;
  readonly #stopping = new AbortController();
  readonly #life: Promise<void>;
  #state: ServerState = "connecting";
  #error: string | null = null;
  #connection: Connection | null = null;
  /** The tools as the server last listed them, and what is wrong with those that are left out. */
  #listed: { tools: readonly McpTool[]; problems: readonly string[] } = { tools: [], problems: [] };
  #hasBeenReady = false;
  readonly #lastEra: LastEra;
  #changed = Promise.withResolvers<void>();

  constructor(deps: ExternalServerDeps) {
    const { name, kind, log } = deps;
    this.#deps = deps;
    this.#lastEra = firstMode(deps.protocol);
    this.#times = { ...defaultTimes, ...deps.times };
    const connected = (signal: AbortSignal) => this.#connected(signal);
    this.#calls = new ToolCalls({ name, kind, times: this.#times, log, connected, onChange: deps.onChange });
    this.#life = this.#live();
  }

  get name(): string {
    return this.#deps.name;
  }

  get kind(): ToolSource["kind"] {
    return this.#deps.kind;
  }

  get tools(): readonly McpTool[] {
    return this.#listed.tools;
  }

  get state(): ServerState {
    return this.#state;
  }

  get source(): ToolSource {
    const { name, kind, state } = this;
    const problems = [...this.#listed.problems, ...this.#calls.problems];
    const namesOf = (tools: readonly McpTool[]) => tools.map((tool) => tool.name);
    const read_only = namesOf(this.tools.filter(({ annotations }) => annotations?.readOnlyHint === true));
    return { name, kind, state, error: this.#error, tools: namesOf(this.tools), read_only, problems };
  }

  /**
   * Calls a tool by its name there. Whatever goes wrong is a result that the model reads.
   * @throws MissingRequiredClientCapabilityError for a caller who can be asked, and when the signal aborts
   */
  call(
    tool: CalledTool,
    args: Record<string, unknown>,
    reporter: Pick<ProgressReporter, "signal" | "progress">,
    behalf: CallBehalf = {},
  ): Promise<CallToolResult | InputRequiredResult> {
    return this.#calls.call(tool, args, reporter, behalf);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#life;
  }

  /** Connects again and again, until it is disposed of. */
  async #live(): Promise<void> {
    const { signal } = this.#stopping;
    const { backoff, forget } = this.#times;
    for (let failures = 0; !signal.aborted; ) {
      const started = performance.now();
      const why = await this.#serve().catch(reasonOf);
      if (signal.aborted) break;
      this.#error = this.#shown(why);
      if (performance.now() - started > forget) failures = 0;
      failures++;
      const pause = backoff[Math.min(failures, backoff.length) - 1] ?? 0;
      this.#deps.log.warn({ [this.kind]: this.name, err: this.#error, again_in_ms: pause }, "not connected");
      this.#apply(failures > (this.#hasBeenReady ? 3 : 1) ? "exhausted" : "retrying");
      await delay(pause, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  /** Connects, and stays until the connection is over. Returns why it is. */
  async #serve(): Promise<string> {
    const { log } = this.#deps;
    await using connection = await this.#open();
    this.#connection = connection;
    this.#error = null;
    this.#hasBeenReady = true;
    log.info({ [this.kind]: this.name, tools: this.tools.length }, "connected");
    for (const problem of this.#listed.problems) log.warn({ [this.kind]: this.name }, problem);
    this.#apply("connected");
    connection.watch();
    const stopped = Promise.withResolvers<string>();
    const { signal } = this.#stopping;
    const onStop = () => stopped.resolve("stopped");
    signal.addEventListener("abort", onStop, { once: true });
    if (signal.aborted) onStop();
    const why = await Promise.race([connection.closed, stopped.promise]);
    signal.removeEventListener("abort", onStop);
    this.#connection = null;
    this.#calls.clearProblems();
    this.#apply("lost");
    return why;
  }

  #open(): Promise<Connection> {
    const { name, isProgram, open, log } = this.#deps;
    return Connection.open({
      name,
      isProgram,
      open,
      lastEra: this.#lastEra,
      times: this.#times,
      signal: this.#stopping.signal,
      onTools: (listed) => {
        this.#listed = listed;
        if (this.#connection) this.#tellChange();
      },
      onLost: () => {
        this.#connection = null;
        this.#apply("lost");
      },
      onError: (error) => log.debug({ [this.kind]: name, err: error }, "while connected"),
    });
  }

  async #connected(signal: AbortSignal): Promise<Connection | null> {
    if (this.#connection) return this.#connection;
    const waited = AbortSignal.any([signal, this.#stopping.signal, AbortSignal.timeout(this.#times.wait)]);
    const ended = new Promise<void>((resolve) => waited.addEventListener("abort", () => resolve(), { once: true }));
    while (!this.#connection && this.#state === "connecting" && !waited.aborted)
      await Promise.race([this.#changed.promise, ended]);
    signal.throwIfAborted();
    return this.#connection;
  }

  /** The one place where the state changes. */
  #apply(input: ServerInput): void {
    const next = nextState(this.#state, input);
    if (next === null) return;
    this.#deps.log.debug({ [this.kind]: this.name, from: this.#state, input, to: next }, "transition");
    this.#state = next;
    this.#tellChange();
  }

  #tellChange(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
    this.#deps.onChange();
  }

  #shown(text: string): string {
    const { secrets = [] } = this.#deps;
    return cleanText(
      secrets.reduce((shown, secret) => shown.replaceAll(secret, "***"), text),
      1_000,
    );
  }
}
