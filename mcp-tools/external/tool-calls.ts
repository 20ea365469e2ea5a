/** Calls of an external server's tools. Whatever goes wrong is a result that the model reads. */
import {
  type CallToolResult,
  type InputRequiredResult,
  isInputRequiredResult,
  type Tool,
} from "@modelcontextprotocol/server";
import type { ToolSource } from "../../journal/programs/tool-catalog.ts";
import type { Logger } from "../../proc/logging/log.ts";
import type { ProgressReporter } from "../tool/progress-reporter.ts";
import type { CallerAbilities } from "../tool/tool.ts";
import { passedOn, refusedFor, roundOf } from "./asked-input.ts";
import { boundedResult } from "./bounded-result.ts";
import type { Connection } from "./connection.ts";
import { isOfProtocol, isTimeout, neverArrived, reasonOf } from "./server-errors.ts";
import type { ServerTimes } from "./server-times.ts";
import { cleanText } from "./usable-tools.ts";

export type ToolCallDeps = {
  name: string;
  kind: ToolSource["kind"];
  times: ServerTimes;
  log: Logger;
  /** The connection, after a little waiting if it is being made; null when it can't be had. */
  connected: (signal: AbortSignal) => Promise<Connection | null>;
  /** Called when a tool has fallen silent, or answers again. */
  onChange: () => void;
};

/** A tool as its server calls it. */
export type CalledTool = Pick<Tool, "name" | "inputSchema">;

/** For whom a call is made: the trace that it belongs to, and the client that can be asked in its course; absent: nobody can. */
export type CallBehalf = { trace?: Record<string, string> | undefined; caller?: CallerAbilities | undefined };

export class ToolCalls {
  readonly #deps: ToolCallDeps;
  /** Tools that didn't answer, until they do. */
  readonly #silent = new Map<string, string>();

  constructor(deps: ToolCallDeps) {
    this.#deps = deps;
  }

  /** Which tools don't answer. */
  get problems(): string[] {
    return [...this.#silent.values()];
  }

  /** Another connection begins without blame. */
  clearProblems(): void {
    this.#silent.clear();
  }

  /**
   * Calls a tool by its name there.
   * @throws MissingRequiredClientCapabilityError for a caller who can be asked, and when the signal aborts
   */
  async call(
    tool: CalledTool,
    args: Record<string, unknown>,
    { signal, progress }: Pick<ProgressReporter, "signal" | "progress">,
    { trace = {}, caller }: CallBehalf,
  ): Promise<CallToolResult | InputRequiredResult> {
    const { name, times, connected, onChange } = this.#deps;
    const full = `${name}.${tool.name}`;
    for (let isAgain = false; ; isAgain = true) {
      const connection = await connected(signal);
      if (!connection) return failure(`${full}: ${this.#unavailable()}`);
      try {
        const { _meta, ...round } = roundOf(caller, connection.client.getProtocolEra());
        const meta = { ...trace, ..._meta };
        const answer = await connection.client.callTool(
          { name: tool.name, arguments: args, ...round, ...(Object.keys(meta).length > 0 && { _meta: meta }) },
          {
            // What it asks is for the caller to answer.
            allowInputRequired: true,
            // The stateless protocol has some arguments as headers, too, as the tool says.
            toolDefinition: tool,
            signal,
            // With each word of progress the waiting begins anew.
            timeout: times.call,
            resetTimeoutOnProgress: true,
            onprogress: (word) => progress(word.progress, word.total, word.message),
          },
        );
        if (this.#silent.delete(tool.name)) onChange();
        return isInputRequiredResult(answer) ? passedOn(full, answer, caller) : boundedResult(answer);
      } catch (error) {
        signal.throwIfAborted();
        const refused = refusedFor(full, error, caller);
        if (refused) return refused;
        if (!isAgain && neverArrived(error)) {
          connection.end(reasonOf(error));
          continue;
        }
        return failure(`${full} failed: ${this.#explain(tool.name, connection, error)}`);
      }
    }
  }

  #unavailable(): string {
    const { kind, name } = this.#deps;
    // The reason is for people: a model has no use for what a program prints as it ends.
    return `the ${kind} "${name}" is not available. It is tried again. Go on without it, or call again later.`;
  }

  #explain(tool: string, { client }: Connection, error: unknown): string {
    const { kind, name, times, log, onChange } = this.#deps;
    if (isTimeout(error)) {
      const problem = `no answer within ${times.call / 1000} s`;
      this.#silent.set(tool, `the last call of ${tool} got ${problem}`);
      log.warn({ [kind]: name, tool }, problem);
      onChange();
      return problem;
    }
    // The client has no transport once its connection is closed.
    if (client.transport !== undefined || !isOfProtocol(error)) return cleanText(reasonOf(error), 1_000);
    return `the ${kind} "${name}" went away before it answered, and is being connected again: call again`;
  }
}

const failure = (text: string): CallToolResult => ({ content: [{ type: "text", text }], isError: true });
