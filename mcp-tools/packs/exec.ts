/** The pack `exec`: commands in the run's folder, in a sandbox where there is one, and processes that go on in the background. */
import { realpathSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";
import { z } from "zod";
import { inside, OutsideError } from "../../journal/config/paths.ts";
import { stopRequested } from "../exec/commands.ts";
import { OutputReporter } from "../tool/output-reporter.ts";
import { ownerOf } from "../tool/command-owner.ts";
import type { RunningCommand } from "../exec/running-command.ts";
import { longText } from "../tool/arguments.ts";
import { defineTool, reads, type Tool, type ToolContext, writes } from "../tool/tool.ts";
import { ToolError } from "../tool/tool-error.ts";
import { workplaceOf } from "../tool/workplace.ts";

const usualSeconds = 120;
const mostSeconds = 1800;
const maxCommand = 100_000;

/** Bytes that are given at once of a background process's output. */
const pageBytes = 16 * 1024;

const process_id = z.string().min(1).max(40).meta({ description: "As bash or process_list says." });
const changes = { ...writes({ destructive: true, idempotent: false }), openWorldHint: true };

const bash = defineTool({
  name: "bash",
  title: "Run a command",
  description:
    "Run a command with bash in the work folder. In a sandbox it can write there and in /tmp, read most other files, and reaches no network but the hosts that the settings name, by the proxy of its environment. " +
    "A process that it leaves running ends with it: start servers and watchers with background: true.",
  input: {
    command: longText(maxCommand, "The command, as typed at a shell."),
    timeout_seconds: z
      .number()
      .positive()
      .max(mostSeconds)
      .optional()
      .meta({
        description: `It is stopped after so long. Default ${usualSeconds}, at most ${mostSeconds}. Not of background processes.`,
      }),
    background: z
      .boolean()
      .optional()
      .meta({ description: "Return at once and let it go on, up to the end of this conversation." }),
    cwd: z.string().min(1).max(1000).optional().meta({ description: "A folder in the work folder to run it in." }),
  },
  output: {
    exit_code: z.number().int().nullable().meta({ description: "Null of what goes on in the background." }),
    stdout: z.string(),
    stderr: z.string(),
    timed_out: z.boolean(),
    truncated: z
      .boolean()
      .meta({ description: "Whether the middle of an output was left out: output_path has all of it." }),
    output_path: z.string().optional().meta({ description: "A file with all that it printed." }),
    process_id: z.string().optional().meta({ description: "The id of the process that goes on in the background." }),
    stopped: z.string().optional().meta({ description: "Why it was stopped before its time." }),
    sandbox: z.boolean().meta({ description: "Whether it ran in a sandbox." }),
  },
  annotations: changes,
  async run({ command, timeout_seconds = usualSeconds, background = false, cwd = "." }, context) {
    const { commands, place } = commandsOf(context);
    const { folder } = await workplaceOf(context);
    const owner = await ownerOf(context);
    const reporter = background ? null : new OutputReporter(context.reporter);
    const where = folderIn(folder, cwd);
    const onText = reporter && ((text: string) => reporter.add(text));
    const running = await commands.start({ owner, place, folder, cwd: where, command, ...(onText && { onText }) });
    const sandbox = place.is_walled;
    if (background) {
      commands.tellEnd(owner, running);
      const { path } = running.output;
      const result = { exit_code: null, stdout: "", stderr: "", timed_out: false, truncated: false, sandbox };
      return answer({ ...result, output_path: path, process_id: running.id });
    }
    running.endInput();
    await finished(running, timeout_seconds, context);
    reporter?.flush();
    return answer({ ...resultOf(running), sandbox });
  },
});

const process_list = defineTool({
  name: "process_list",
  title: "List processes",
  description: "The commands of this conversation that were started in the background, and how they are.",
  input: {},
  output: {
    processes: z.array(
      z.object({
        process_id: z.string(),
        command: z.string(),
        running: z.boolean(),
        exit_code: z.number().int().nullable(),
        started: z.string(),
        bytes: z.number().int(),
      }),
    ),
  },
  annotations: reads,
  async run(_, context) {
    const processes = commandsOf(context).commands.list(await ownerOf(context));
    return answer({
      processes: processes.map((one: RunningCommand) => ({
        process_id: one.id,
        command: one.text.slice(0, 500),
        running: one.isRunning,
        exit_code: one.exitCode,
        started: new Date(one.started).toISOString(),
        bytes: one.output.size,
      })),
    });
  },
});

const process_output = defineTool({
  name: "process_output",
  title: "Output of a process",
  description: `Up to ${pageBytes} bytes of what a process has printed, stdout and stderr as they came. Without from: the last of it.`,
  input: {
    process_id,
    from: z
      .number()
      .int()
      .nonnegative()
      .optional()
      .meta({ description: "The byte to begin at: next of the answer before." }),
  },
  output: {
    process_id: z.string(),
    running: z.boolean(),
    exit_code: z.number().int().nullable(),
    text: z.string(),
    from: z.number().int(),
    next: z.number().int().meta({ description: "Where to go on." }),
    size: z.number().int().meta({ description: "How many bytes there are." }),
    output_path: z.string(),
    stopped: z.string().optional(),
  },
  annotations: reads,
  async run({ process_id: id, from: wanted }, context) {
    const { commands } = commandsOf(context);
    const running = commands.find(await ownerOf(context), id);
    const { size, path } = running.output;
    const from = Math.min(wanted ?? Math.max(0, size - pageBytes), size);
    const bytes = running.output.read(from, pageBytes);
    // A character that isn't whole yet is for the next page.
    const decoder = new StringDecoder("utf8");
    const text = decoder.write(bytes);
    const whole = running.isRunning || from + bytes.length < size ? Buffer.byteLength(text) : bytes.length;
    return answer({
      process_id: id,
      running: running.isRunning,
      exit_code: running.exitCode,
      text,
      from,
      next: from + Math.min(bytes.length, Math.max(whole, bytes.length - 3)),
      size,
      output_path: path,
      ...(running.stopped !== null && { stopped: running.stopped }),
    });
  },
});

const process_input = defineTool({
  name: "process_input",
  title: "Type into a process",
  description: "Write text to the stdin of a background process; end a line with \\n.",
  input: { process_id, text: longText(maxCommand, "The text for its stdin.") },
  output: { process_id: z.string(), written: z.boolean() },
  annotations: changes,
  async run({ process_id: id, text }, context) {
    const running = commandsOf(context).commands.find(await ownerOf(context), id);
    if (!running.isRunning) throw new ToolError(`${id} has ended with exit code ${running.exitCode}`);
    try {
      await running.write(text);
    } catch {
      throw new ToolError(`${id} reads no more`);
    }
    return answer({ process_id: id, written: true });
  },
});

const process_stop = defineTool({
  name: "process_stop",
  title: "Stop a process",
  description: "Stop a background process at once, with all that it has started.",
  input: { process_id },
  output: { process_id: z.string(), exit_code: z.number().int() },
  annotations: { ...writes({ destructive: true, idempotent: true }) },
  async run({ process_id: id }, context) {
    const running = commandsOf(context).commands.find(await ownerOf(context), id);
    running.stop(stopRequested);
    return answer({ process_id: id, exit_code: await running.ended });
  },
});

export const execPack: readonly Tool[] = [bash, process_list, process_output, process_input, process_stop];

function commandsOf({ commands, place }: ToolContext) {
  if (commands && place) return { commands, place };
  throw new ToolError(
    "only a run may start commands, and this call came with the commands' token: cortex-request -p … starts a run",
  );
}

/** The end of a command, by itself, by its time, or by the end of its call. */
async function finished(running: RunningCommand, seconds: number, { reporter }: ToolContext): Promise<void> {
  const late = setTimeout(() => {
    running.isTimedOut = true;
    running.stop(`it took longer than ${seconds} s`);
  }, seconds * 1000);
  const cancel = () => running.stop("its call was cancelled");
  reporter?.signal.addEventListener("abort", cancel, { once: true });
  if (reporter?.signal.aborted) cancel();
  try {
    await running.ended;
  } finally {
    clearTimeout(late);
    reporter?.signal.removeEventListener("abort", cancel);
  }
}

function resultOf({ exitCode, output, isTimedOut, stopped }: RunningCommand) {
  const truncated = output.isCut || output.isFull;
  return {
    exit_code: exitCode,
    stdout: output.stdout,
    stderr: output.stderr,
    timed_out: isTimedOut,
    truncated,
    ...(truncated && { output_path: output.path }),
    ...(stopped !== null && { stopped }),
  };
}

/** A result is the same as text and as structure. */
const answer = <Result extends Record<string, unknown>>(structured: Result) => ({
  text: JSON.stringify(structured),
  structured,
});

function folderIn(folder: string, cwd: string): string {
  try {
    return realpathSync(inside(folder, cwd));
  } catch (error) {
    if (error instanceof OutsideError) throw new ToolError(`cwd "${cwd}" is outside of the work folder`);
    throw new ToolError(`cwd "${cwd}" isn't there`);
  }
}
