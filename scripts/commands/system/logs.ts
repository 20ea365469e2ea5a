/** `cortex logs`: what the programs have logged, by time, and what they log from now on. Reads files; needs no bus. */
import { existsSync } from "node:fs";
import { logFile, programNames } from "../../../journal/logs/program-logs.ts";
import { followLogs, lastLines, type LogLine } from "../../../journal/logs/program-logs-reader.ts";
import { readEnvironment } from "../../../proc/programs/environment.ts";
import { exitCodes } from "../../../protocol/runs/exit-codes.ts";
import { nearestName } from "../../../protocol/words/nearest-name.ts";
import { type Command, parseCommandLine, usageError } from "../../command/command.ts";
import { type LogLook, showLogLine } from "../../command/layout/log-line.ts";
import { styled } from "../../command/layout/style.ts";
import { showRaw } from "../../../proc/logging/terminal.ts";

const help = `
Usage: cortex logs [-f] [-n COUNT] [--json | --raw] [PROGRAM]

Shows the last lines of all programs' logs, ordered by time, or of one program's:
${programNames.join(", ")}.

  -f       follow the logs until Ctrl-C
  -n       number of lines to begin with (100)
  --json   the lines as they are in .run/logs/, one JSON object a line
  --raw    the lines byte for byte, including control sequences, which a terminal obeys
`;

const defaultCount = 100;

const options = {
  follow: { type: "boolean", short: "f" },
  count: { type: "string", short: "n" },
  json: { type: "boolean" },
  raw: { type: "boolean" },
} as const;

export const command: Command = {
  help,
  run: async (args) => {
    const { values, positionals } = parseCommandLine(args, options, "cortex logs");
    const count = values.count === undefined ? defaultCount : Number(values.count);
    if (!/^\d+$/.test(values.count ?? "0") || !Number.isSafeInteger(count))
      throw usageError(`-n "${values.count}": expected a number from 0`, "for example: cortex logs -n 20");
    const programs = programsOf(positionals);
    const { journalPath: journal, timeZone } = readEnvironment();
    const logged = programs.filter((program) => existsSync(logFile(journal, program)));
    if (values.raw) showRaw();
    const print = values.raw
      ? printRaw
      : values.json
        ? printJson
        : printerFor({ timeZone, programWidth: widthOf(logged), paint: styled });
    if (logged.length === 0) process.stderr.write(`nothing was logged yet in ${journal}\n`);
    if (values.follow) for await (const line of followLogs(journal, programs, count, untilStopped())) print(line);
    else for (const line of lastLines(journal, programs, count)) print(line);
    return exitCodes.done;
  },
};

function programsOf([name, ...more]: string[]): readonly string[] {
  if (more.length > 0) throw usageError(`unexpected "${more.join(" ")}"`, "one program, or none for all of them");
  if (name === undefined) return programNames;
  if (programNames.some((known) => known === name)) return [name];
  const nearest = nearestName(name, programNames);
  throw usageError(
    `unknown program "${name}": known programs are ${programNames.join(", ")}`,
    nearest ? `perhaps: cortex logs ${nearest}` : "all of them: cortex logs",
  );
}

const printRaw = ({ text }: LogLine) => void process.stdout.write(`${text}\n`);

/** Prints a line as JSON, also where somebody else wrote into a log. */
function printJson({ text, record, program, time }: LogLine): void {
  process.stdout.write(`${record ? text : JSON.stringify({ time, name: program, foreign: true, msg: text })}\n`);
}

const printerFor = (look: LogLook) => (line: LogLine) => void process.stdout.write(`${showLogLine(line, look)}\n`);

const widthOf = (programs: readonly string[]) => Math.max(0, ...programs.map((program) => program.length));

function untilStopped(): AbortSignal {
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort()).once("SIGTERM", () => stop.abort());
  return stop.signal;
}
