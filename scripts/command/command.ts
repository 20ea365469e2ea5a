/**
 * The parts that every command shares: its arguments, `--help`, and how a failure is told to a person or to a program.
 */
import { parseArgs, type ParseArgsConfig } from "node:util";
import { messageOf } from "../../files/errors/error-message.ts";
import { readEnvironment } from "../../proc/programs/environment.ts";
import { EnvironmentError } from "../../proc/os/environment-error.ts";
import { exitCodes } from "../../protocol/runs/exit-codes.ts";
import { diskError } from "./disk-error.ts";
import { nearestName } from "../../protocol/words/nearest-name.ts";
import { asTyped } from "./typed-command.ts";

/** A command: its help, and what it does. `run` returns the exit code. */
export type Command = {
  help: string;
  run: (args: string[]) => Promise<number>;
};

/** A failure of the command itself, told with the value and the remedy. */
export class CommandError extends Error {
  readonly type: string;
  readonly hint: string;
  readonly exitCode: number;

  constructor(type: string, message: string, hint: string, exitCode: number, options?: ErrorOptions) {
    super(message, options);
    this.name = "CommandError";
    this.type = type;
    this.hint = hint;
    this.exitCode = exitCode;
  }
}

/** A wrong use of a command: exit 2. */
export function usageError(message: string, hint: string, cause?: unknown): CommandError {
  return new CommandError("usage", message, hint, exitCodes.usage, { cause });
}

/** A name that isn't one of those that there are: exit 2, with the one that was probably meant. */
export function unknownName(what: string, given: string | undefined, known: readonly string[], help: string) {
  const nearest = given === undefined ? null : nearestName(given, known);
  const all = `known ${what}s are ${known.join(", ")}`;
  return usageError(
    given === undefined || given === "" ? `no ${what} was given: ${all}` : `unknown ${what} "${given}": ${all}`,
    nearest === null ? `see: ${help} --help` : `did you mean: ${help} ${nearest}`,
  );
}

/** Nobody answers on the bus: exit 69. */
export function noBusError(message: string, cause?: unknown): CommandError {
  return new CommandError("no_bus", message, "start it: cortex up", exitCodes.noBus, { cause });
}

/**
 * Parses a command's arguments strictly.
 * @param most how many may stand there that are no options
 * @throws CommandError naming the argument that isn't known
 */
export function parseCommandLine<T extends NonNullable<ParseArgsConfig["options"]>>(
  args: string[],
  options: T,
  helpCommand: string,
  most = Number.POSITIVE_INFINITY,
) {
  const parsed = parsedStrictly(args, options, helpCommand);
  const more = parsed.positionals.slice(most);
  if (more.length > 0) throw usageError(`unexpected "${more.join(" ")}"`, `see: ${helpCommand} --help`);
  return parsed;
}

function parsedStrictly<T extends NonNullable<ParseArgsConfig["options"]>>(
  args: string[],
  options: T,
  helpCommand: string,
) {
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (error) {
    const message = messageOf(error);
    const [, given] = /^Unknown option '--(.+?)'/.exec(message) ?? [];
    const nearest = given === undefined ? null : nearestName(given, Object.keys(options));
    const meant = nearest === null ? "" : `did you mean --${nearest}? `;
    throw usageError(message.split(". To specify")[0] ?? message, `${meant}see: ${helpCommand} --help`);
  }
}

/** Runs a command to its exit code. With `--json` a failure is one document on stdout, otherwise two lines on stderr. */
export async function runCommand(command: Command, args: string[]): Promise<number> {
  const own = args.includes("--") ? args.slice(0, args.indexOf("--")) : args;
  if (own.includes("--help") || own.includes("-h")) {
    process.stdout.write(`${command.help.trim()}\n`);
    return exitCodes.done;
  }
  try {
    return await command.run(args);
  } catch (error) {
    const failure = asCommandError(error);
    const hint = asTyped(failure.hint);
    if (own.includes("--json")) {
      const { type, message } = failure;
      process.stdout.write(`${JSON.stringify({ ok: false, error: { type, message, hint } })}\n`);
    } else {
      process.stderr.write(`error: ${failure.message}\n  ${hint}\n`);
    }
    if (process.env["CORTEX_DEBUG"]) process.stderr.write(`${failure.stack}\n`);
    return failure.exitCode;
  }
}

function asCommandError(error: unknown): CommandError {
  if (error instanceof CommandError) return error;
  const message = messageOf(error);
  if (error instanceof EnvironmentError) return usageError(message, error.hint);
  const disk = error instanceof Error ? diskError(error, () => readEnvironment().journalPath) : null;
  if (disk) return new CommandError("config", disk.message, disk.hint, exitCodes.usage, { cause: error });
  const hint = "this is a defect: run it again with CORTEX_DEBUG=1 and report the output";
  return new CommandError("internal", message, hint, exitCodes.failed, { cause: error });
}
