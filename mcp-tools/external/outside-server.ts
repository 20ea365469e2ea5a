/**
 * One MCP server that isn't ours: connected once, shared by all runs, connected again when it dies or hangs.
 *
 * `connecting`: it isn't there yet, or was there a moment ago: calls wait a little.
 * `ready`: it answers.
 * `failed`: it can't be had; it is tried again after a while, and calls say so at once. The names of its tools stay.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  type CallToolResult,
  CallToolResultSchema,
  ErrorCode,
  McpError,
  type Tool as McpTool,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import type { ToolSource } from "../../journal/programs/tool-catalog.ts";
import type { Logger } from "../../proc/logging/log.ts";
import type { Caller } from "../tool/caller.ts";
import { listTools } from "./outside-list.ts";
import { boundedResult } from "./outside-result.ts";
import { clean } from "./outside-tools.ts";

/** A way to a server. `why` and `said` tell more of its end, `kill` ends one that doesn't answer: both where it is a program. */
export type Link = Transport & { why?: string; said?: string; kill?: () => void };

export type OutsideOptions = {
  name: string;
  kind: ToolSource["kind"];
  open: () => Promise<Link>;
  /** What it was given and mustn't be seen, though it may print it. */
  secrets?: readonly string[];
  log: Logger;
  /** Told when its state or its tools have changed. */
  onChange: () => void;
  times?: Partial<Times>;
};

/** All in ms. */
export type Times = {
  connect: number;
  /** A call without an answer and without a word of progress. */
  call: number;
  /** How long a call waits for a server that is being connected. */
  wait: number;
  pingEvery: number;
  /** Without an answer for so long it hangs. A tool that computes may keep its program from answering for a while. */
  ping: number;
  /** Before each attempt; the last goes on for ever. */
  backoff: readonly number[];
  /** Up for so long, what was before is forgotten. */
  forget: number;
};

const defaultTimes: Times = {
  connect: 30_000,
  call: 120_000,
  wait: 10_000,
  pingEvery: 15_000,
  ping: 30_000,
  backoff: [0, 1_000, 2_000, 5_000, 15_000, 60_000],
  forget: 60_000,
};

const timeoutCode: number = ErrorCode.RequestTimeout;
/** A server may say as often as it likes that its tools have changed, in ms. */
const listAgainAfter = 500;

export class OutsideServer implements AsyncDisposable {
  readonly name: string;
  readonly kind: ToolSource["kind"];
  state: ToolSource["state"] = "connecting";
  error: string | null = null;
  tools: readonly McpTool[] = [];
  readonly #options: OutsideOptions;
  readonly #times: Times;
  readonly #stopping = new AbortController();
  readonly #stopped = new Promise<string>((resolve) => {
    this.#stopping.signal.addEventListener("abort", () => resolve("stopped"), { once: true });
  });
  readonly #life: Promise<void>;
  #client: Client | null = null;
  #link: Link | null = null;
  #problems: string[] = [];
  /** Tools that didn't answer, until they do. */
  readonly #silent = new Map<string, string>();
  #changed = Promise.withResolvers<void>();

  constructor(options: OutsideOptions) {
    this.name = options.name;
    this.kind = options.kind;
    this.#options = options;
    this.#times = { ...defaultTimes, ...options.times };
    this.#life = this.#live();
  }

  get source(): ToolSource {
    const { name, kind, state, error } = this;
    const problems = [...this.#problems, ...this.#silent.values()];
    const namesOf = (tools: readonly McpTool[]) => tools.map((tool) => tool.name);
    const read_only = namesOf(this.tools.filter(({ annotations }) => annotations?.readOnlyHint === true));
    return { name, kind, state, error, tools: namesOf(this.tools), read_only, problems };
  }

  /**
   * Calls a tool by its name there. Whatever goes wrong is a result that the model reads.
   * @throws only when the signal aborts
   */
  async call(
    tool: string,
    args: Record<string, unknown>,
    { signal, progress }: Pick<Caller, "signal" | "progress">,
  ): Promise<CallToolResult> {
    const full = `${this.name}.${tool}`;
    for (let isAgain = false; ; isAgain = true) {
      const client = await this.#ready(signal);
      if (!client) return failure(`${full}: ${this.#whyNot()}`);
      try {
        const answer = await client.request(
          { method: "tools/call", params: { name: tool, arguments: args } },
          CallToolResultSchema,
          {
            signal,
            // With each word of progress the waiting begins anew.
            timeout: this.#times.call,
            resetTimeoutOnProgress: true,
            onprogress: (word) => progress(word.progress, word.total, word.message),
          },
        );
        if (this.#silent.delete(tool)) this.#options.onChange();
        return boundedResult(answer);
      } catch (error) {
        signal.throwIfAborted();
        if (!isAgain && neverArrived(error)) {
          this.#lost(client, messageOf(error));
          continue;
        }
        return failure(`${full} failed: ${this.#explain(tool, client, error)}`);
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#life;
  }

  /** From attempt to attempt, until it is disposed of. */
  async #live(): Promise<void> {
    const { signal } = this.#stopping;
    const { log } = this.#options;
    let hasBeenReady = false;
    for (let failures = 0; !signal.aborted; ) {
      const started = performance.now();
      try {
        const why = await this.#connection(() => (hasBeenReady = true));
        if (signal.aborted) break;
        this.error = this.#shown(why);
      } catch (error) {
        if (signal.aborted) break;
        this.error = this.#shown(messageOf(error));
      }
      if (performance.now() - started > this.#times.forget) failures = 0;
      failures++;
      const { backoff } = this.#times;
      const pause = backoff[Math.min(failures, backoff.length) - 1] ?? 0;
      log.warn({ [this.kind]: this.name, err: this.error, again_in_ms: pause }, "not connected");
      this.#become(failures > (hasBeenReady ? 3 : 1) ? "failed" : "connecting");
      await delay(pause, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  /** Connects, and stays until it is over. Returns why. */
  async #connection(onReady: () => void): Promise<string> {
    const { signal } = this.#stopping;
    const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
    const link = await this.#options.open();
    const client = new Client({ name: "cortex", version: "1" });
    const over = new Promise<string>((resolve) => {
      client.onclose = () => resolve(link.why || "the connection was closed");
    });
    client.onerror = (error) => {
      this.#options.log.debug({ [this.kind]: this.name, err: error }, "while connected");
      // The SDK tries for long to take up a stream again whose server is gone.
      if (error.message.startsWith("SSE stream disconnected")) void this.#ping(client, link);
    };
    let pinging: NodeJS.Timeout | undefined;
    try {
      const options = { timeout: this.#times.connect, signal };
      await client.connect(link, options).catch(async (error: unknown) => {
        throw new Error(await this.#whyNever(link, error), { cause: error });
      });
      client.setNotificationHandler(ToolListChangedNotificationSchema, () => this.#listAgain(client));
      await this.#list(client);
      this.#client = client;
      this.#link = link;
      this.error = null;
      onReady();
      this.#options.log.info({ [this.kind]: this.name, tools: this.tools.length }, "connected");
      for (const problem of this.#problems) this.#options.log.warn({ [this.kind]: this.name }, problem);
      this.#become("ready");
      pinging = setInterval(() => void this.#ping(client, link), this.#times.pingEvery);
      return await Promise.race([over, this.#stopped]);
    } finally {
      clearInterval(pinging);
      this.#client = null;
      this.#link = null;
      this.#silent.clear();
      if (this.state === "ready") this.#become("connecting");
      await client.close().catch(() => {});
      await link.close();
    }
  }

  async #list(client: Client): Promise<void> {
    const { tools, problems } = await listTools(client, this.name, this.#times.connect);
    this.tools = tools;
    this.#problems = problems;
  }

  #willList = false;

  #listAgain(client: Client): void {
    if (this.#willList) return;
    this.#willList = true;
    setTimeout(() => {
      this.#willList = false;
      if (client.transport === undefined) return;
      this.#list(client).then(
        () => this.#become(this.state),
        (error: unknown) => this.#lost(client, `its tools can't be listed: ${messageOf(error)}`),
      );
    }, listAgainAfter).unref();
  }

  #isPinging = false;

  /** Any answer is a sign of life, also that it doesn't know what a ping is. */
  async #ping(client: Client, link: Link): Promise<void> {
    if (this.#isPinging) return;
    this.#isPinging = true;
    try {
      await client.ping({ timeout: this.#times.ping });
    } catch (error) {
      const isAnswer = error instanceof McpError && error.code !== timeoutCode;
      if (this.#client !== client || isAnswer) return;
      const isHanging = error instanceof McpError;
      if (isHanging) link.why = `it didn't answer a ping within ${this.#times.ping / 1000} s`;
      if (isHanging) link.kill?.();
      this.#lost(client, messageOf(error));
    } finally {
      this.#isPinging = false;
    }
  }

  /** Ends a connection that is of no use any more; `#live` makes a new one. */
  #lost(client: Client, why: string): void {
    if (this.#client !== client) return;
    const link = this.#link;
    if (link) link.why ||= why;
    this.#client = null;
    this.#become("connecting");
    client.close().catch(() => {});
  }

  /** The connection, after a little waiting if it is being made; null when it can't be had. */
  async #ready(signal: AbortSignal): Promise<Client | null> {
    if (this.#client) return this.#client;
    const waited = AbortSignal.any([signal, this.#stopping.signal, AbortSignal.timeout(this.#times.wait)]);
    const ended = new Promise<void>((resolve) => waited.addEventListener("abort", () => resolve(), { once: true }));
    while (!this.#client && this.state === "connecting" && !waited.aborted)
      await Promise.race([this.#changed.promise, ended]);
    signal.throwIfAborted();
    return this.#client;
  }

  #become(state: ToolSource["state"]): void {
    this.state = state;
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
    this.#options.onChange();
  }

  #whyNot(): string {
    // Why is for people: what a program prints as it ends is nothing that a model needs.
    return `the ${this.kind} "${this.name}" isn't there. It is tried again; go on without it, or call again later.`;
  }

  #shown(text: string): string {
    const { secrets = [] } = this.#options;
    return clean(
      secrets.reduce((shown, secret) => shown.replaceAll(secret, "***"), text),
      1_000,
    );
  }

  #explain(tool: string, client: Client, error: unknown): string {
    if (!(error instanceof McpError)) return clean(messageOf(error), 1_000);
    if (error.code === timeoutCode) {
      const problem = `no answer within ${this.#times.call / 1000} s`;
      this.#silent.set(tool, `the last call of ${tool} got ${problem}`);
      this.#options.log.warn({ [this.kind]: this.name, tool }, problem);
      this.#options.onChange();
      return problem;
    }
    // The client has no transport once its connection is closed.
    if (client.transport !== undefined) return clean(error.message, 1_000);
    return `the ${this.kind} "${this.name}" went away before it answered, and is being connected again: call again`;
  }

  /** Why it never answered. A program that ends early says why on stderr, and all of that is known when it is gone. */
  async #whyNever(link: Link, error: unknown): Promise<string> {
    const isLate = error instanceof McpError && error.code === timeoutCode;
    await link.close();
    if (!isLate) return link.why || messageOf(error);
    return `it didn't answer within ${this.#times.connect / 1000} s${link.said ? `: ${link.said}` : ""}`;
  }
}

/** The server has nothing of such a call: it isn't there, or it has forgotten whom it talks to. */
function neverArrived(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.message.startsWith("Streamable HTTP error") && "code" in error)
    return error.code === 404 || error.code === 400;
  return error.cause instanceof Error && "code" in error.cause && error.cause.code === "ECONNREFUSED";
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.message === "fetch failed" ? error.cause.message : error.message;
}

const failure = (text: string): CallToolResult => ({ content: [{ type: "text", text }], isError: true });
