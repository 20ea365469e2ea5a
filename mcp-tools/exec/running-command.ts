/** A command from its start to its end: what it printed, why it was stopped, how it ended. */
import { StringDecoder } from "node:string_decoder";
import { messageOf } from "../../files/errors/error-message.ts";
import { CommandProcess, type CommandLine } from "../../proc/programs/command-process.ts";
import { pssBytes, UsageMeter } from "../../proc/runs/run-usage.ts";
import { forwarderTasks } from "../../sandbox/network/forwarder.ts";
import { KeptOutput } from "./kept-output.ts";

export type CommandOrder = Omit<CommandLine, "onOutput"> & {
  id: string;
  /** As it was asked for. */
  text: string;
  outputPath: string;
  maxOutputBytes: number;
  limits: { processes: number; memoryBytes: number };
  onText?: (text: string) => void;
};

const mebibyte = 1024 * 1024;
const lookEveryMs = 250;

/** The tasks of the sandbox itself, its way to the network included. */
const ownTasks = 10 + forwarderTasks;

export class RunningCommand {
  readonly id: string;
  readonly text: string;
  readonly started = Date.now();
  readonly output: KeptOutput;
  /** Resolves with its exit code. */
  readonly ended: Promise<number>;
  exitCode: number | null = null;
  /** Why it was stopped, if it was. */
  stopped: string | null = null;
  isTimedOut = false;
  readonly #process: CommandProcess;

  private constructor({ id, text, limits }: CommandOrder, output: KeptOutput, process: CommandProcess) {
    this.id = id;
    this.text = text;
    this.output = output;
    this.#process = process;
    const watch = this.#watch(limits);
    this.ended = process.ended.then((code) => {
      clearInterval(watch);
      output[Symbol.dispose]();
      this.exitCode = code;
      return code;
    });
  }

  /** @throws Error when the system can't start it */
  static async start(order: CommandOrder): Promise<RunningCommand> {
    const output = new KeptOutput(order.outputPath, order.maxOutputBytes);
    let command: RunningCommand | null = null;
    // A character may come in two pieces.
    const decoders = { stdout: new StringDecoder("utf8"), stderr: new StringDecoder("utf8") };
    const onOutput: CommandLine["onOutput"] = (from, bytes) => {
      output.add(from, bytes);
      if (output.isFull) command?.stop(`it printed more than ${Math.floor(order.maxOutputBytes / mebibyte)} MiB`);
      else order.onText?.(decoders[from].write(bytes));
    };
    try {
      const process = await CommandProcess.start({ ...order, onOutput });
      command = new RunningCommand(order, output, process);
      if (output.isFull) command.stop("it printed too much");
      return command;
    } catch (error) {
      output[Symbol.dispose]();
      throw error;
    }
  }

  get isRunning(): boolean {
    return this.exitCode === null;
  }

  write(text: string): Promise<void> {
    return this.#process.write(text);
  }

  endInput(): void {
    this.#process.endInput();
  }

  /** At once, and all that it has started. The first reason stays. */
  stop(why: string): void {
    if (!this.isRunning) return;
    this.stopped ??= why;
    this.#process.kill();
  }

  /** Holds it to limits that the kernel doesn't. */
  #watch({ processes, memoryBytes }: CommandOrder["limits"]): NodeJS.Timeout {
    const meter = new UsageMeter();
    const look = () => {
      const agent = this.#process.identity;
      if (!agent) return;
      const measured = { agent, inNamespace: false };
      const usage = meter.measure(new Map([["command", measured]])).get("command");
      if (!usage) return;
      if (usage.tasks > processes + ownTasks)
        this.stop(`it had ${usage.tasks} processes, the limit max_processes is ${processes}`);
      if (usage.memoryBytes > memoryBytes && pssBytes(measured) > memoryBytes)
        this.stop(`it used more memory than the limit, max_memory_mb ${Math.floor(memoryBytes / mebibyte)}`);
    };
    return setInterval(() => {
      try {
        look();
      } catch (error) {
        this.stop(`its use of the machine can't be watched: ${messageOf(error)}`);
      }
    }, lookEveryMs);
  }
}
