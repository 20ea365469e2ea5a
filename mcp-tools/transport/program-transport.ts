/** MCP over the stdin and stdout of a program that is started here. The SDK's own transport starts it in our process group, and stops only its first process. */
import { type JSONRPCMessage, parseJSONRPCMessage, type Transport } from "@modelcontextprotocol/server";
import type { ProcessIdentity } from "../../proc/processes/identity.ts";
import type { Line } from "../../files/lines/line-splitter.ts";
import { StdioProcess } from "../../proc/programs/stdio-process.ts";
import { parseJsonCut } from "../../protocol/json/cut-depth.ts";

export type ServerProgram = {
  command: readonly string[];
  env: Record<string, string>;
  cwd: string;
  /** Told who it is, and null when it is gone. */
  onIdentity: (identity: ProcessIdentity | null) => Promise<void>;
};

/** Between the end of its stdin, TERM and KILL, in ms. */
const graceMs = 1_000;

export class ProgramTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** How it ended, or what it said last. */
  why = "";
  readonly #program: ServerProgram;
  #process: StdioProcess | null = null;

  constructor(program: ServerProgram) {
    this.#program = program;
  }

  async start(): Promise<void> {
    const { onIdentity, ...command } = this.#program;
    const child = await StdioProcess.start({ ...command, onLine: (line) => this.#hearLine(line) });
    this.#process = child;
    // The notes are for the case that mcp-tools is killed: without them it works as well.
    const note = (identity: ProcessIdentity | null) =>
      onIdentity(identity).catch((error: unknown) => this.onerror?.(new Error("it can't be noted", { cause: error })));
    void child.ended.then(async (why) => {
      this.why ||= why;
      await note(null);
      this.onclose?.();
    });
    if (child.identity) await note(child.identity);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!this.#process) throw new Error("the program isn't running");
    // One that reads no more is of no use. Its end says more than the failed write, and ends what waits for an answer.
    await this.#process.write(JSON.stringify(message)).catch(() => this.kill());
  }

  /** Resolves when it is gone. */
  async close(): Promise<void> {
    await this.#process?.stop(graceMs);
  }

  /** For one that doesn't answer any more. */
  kill(): void {
    this.#process?.kill();
  }

  /** The last of what it said on stderr. */
  get said(): string {
    return this.#process?.said ?? "";
  }

  #hearLine({ text, truncated }: Line): void {
    if (truncated) {
      // Its answer is lost, and whoever waits for it would wait for ever.
      this.why = "it sent a message that is too long";
      return this.kill();
    }
    try {
      this.onmessage?.(parseJSONRPCMessage(parseJsonCut(text)));
    } catch (error) {
      // Programs print things that are no messages. Nothing depends on them.
      this.onerror?.(new Error(`not a message: ${text.slice(0, 200)}`, { cause: error }));
    }
  }
}
