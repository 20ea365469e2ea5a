/** `cortex-agent` as a real process: lines in, events out, as cortex and a shell use it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { EventBody } from "../../../protocol/runs/event.ts";

const bin = fileURLToPath(new URL("../../../bin/cortex-agent.js", import.meta.url));

export class AgentProcess {
  readonly child: ChildProcess;
  readonly events: EventBody[] = [];
  stderr = "";
  readonly #ended: Promise<number | string>;
  #news = Promise.withResolvers<void>();

  /** `env`: what its environment has beside the path. */
  constructor(env: NodeJS.ProcessEnv = {}, args: readonly string[] = []) {
    this.child = spawn(process.execPath, [bin, ...args], { stdio: "pipe", env: { PATH: process.env["PATH"], ...env } });
    let rest = "";
    this.child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      this.events.push(...lines.map((line) => JSON.parse(line) as EventBody));
      this.#news.resolve();
      this.#news = Promise.withResolvers();
    });
    this.child.stderr?.setEncoding("utf8").on("data", (text: string) => void (this.stderr += text));
    // A process that has left doesn't read any more.
    this.child.stdin?.on("error", () => {});
    this.#ended = once(this.child, "close").then(([code, signal]) => (code ?? signal) as number | string);
  }

  write(...lines: unknown[]): this {
    for (const line of lines) this.child.stdin?.write(`${typeof line === "string" ? line : JSON.stringify(line)}\n`);
    return this;
  }

  end(text = ""): this {
    this.child.stdin?.end(text);
    return this;
  }

  /** The exit code, once all of its output has been read. */
  async exit(): Promise<number | string> {
    return this.#ended;
  }

  async until(predicate: (event: EventBody) => boolean): Promise<EventBody> {
    for (;;) {
      const found = this.events.find(predicate);
      if (found) return found;
      await this.#news.promise;
    }
  }

  named(name: string): EventBody[] {
    return this.events.filter(({ event }) => event === name);
  }

  [Symbol.asyncDispose] = async (): Promise<void> => {
    this.child.kill("SIGKILL");
    await this.#ended;
  };
}
