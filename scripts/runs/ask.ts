/** The work of `cortex-request`: asks an agent, shows what it does meanwhile, and prints its answer. */
import { z } from "zod";
import { messageOf } from "../../files/errors/error-message.ts";
import { NoCortexError, RejectedError, TooLargeError, type RequestedRun } from "../../bus/runs/client.ts";
import type { Bus } from "../../bus/connection/connect.ts";
import { readLiveStatus } from "../../journal/programs/live-status.ts";
import { type Environment, readEnvironment } from "../../proc/programs/environment.ts";
import { ErrorReason } from "../../protocol/events/error-reason.ts";
import { textField } from "../../protocol/runs/text-field.ts";
import { exitCodeOf, exitCodes } from "../../protocol/runs/exit-codes.ts";
import { AgentId } from "../../protocol/names/names.ts";
import { subjects } from "../../protocol/runs/subjects.ts";
import { CommandError, noBusError, parseCommandLine, usageError } from "../command/command.ts";
import { type AskRequest, askOver, connectToJournal, isOwnBus } from "../command/connection.ts";
import { findRun } from "./find-run.ts";
import { Progress } from "./progress.ts";
import { questionLines } from "./question-lines.ts";
import { requestFrom, requestOptions } from "./request-options.ts";
import { tellAfter } from "./after-run.ts";
import { asTyped } from "../command/typed-command.ts";
import { showRaw } from "../../proc/logging/terminal.ts";

/** The longest prompt that is read from stdin. The bus takes requests of 1 MiB. */
const maxPromptBytes = 1024 * 1024;
/**
 * Milliseconds that a cancelled run may take to end before we leave all the same: asking, TERM, KILL, and a little
 * more.
 */
const cancelMs = 20_000;

/** Milliseconds for which the bus may be away before waiting for it is given up. A restart takes a second. */
const busAwayMs = 60_000;

/** Asks with these arguments of a command line. Resolves with the exit code. */
export async function ask(args: string[]): Promise<number> {
  const options = {
    ...requestOptions,
    detach: { type: "boolean" },
    json: { type: "boolean" },
    raw: { type: "boolean" },
  } as const;
  const { values, positionals } = parseCommandLine(args, options, "cortex-request");
  const { detach = false, json = false, raw = false, ...fields } = values;
  if (raw) showRaw();
  const env = readEnvironment();
  if (fields.continue !== undefined) fields.continue = wholeId(env.journalPath, fields.continue);
  const prompt = isPromptSet(fields.set) ? noMore(positionals) : await promptOf(positionals);
  const attached = fields.attach ? await attachedFiles(env, fields.attach) : [];
  const request = requestFrom(prompt, fields, attached);
  return askAndShow(env, request, { detach, json });
}

/**
 * Asks, shows how it goes and prints the answer; with `detach` the run's id alone. Resolves with the exit code.
 * @throws CommandError when the request isn't accepted, or there is no bus
 */
export async function askAndShow(
  env: Environment,
  request: AskRequest,
  { detach, json }: { detach: boolean; json: boolean },
): Promise<number> {
  await using bus = await connectToJournal(env);
  using early = new EarlySignals();
  const asked = await askOver(bus, env, detach ? request : { ...request, watched: true }).catch(explain);
  const missing = labelsThatNobodyHas(env.journalPath, labelsOf(request));
  if (missing.length > 0) process.stderr.write(`${asTyped(nobodyHas(missing, asked.agent_id))}\n`);
  if (detach && !early.came) {
    process.stdout.write(`${asked.agent_id}\n`);
    return exitCodes.done;
  }
  const code = await follow(bus, asked, json, early); // awaited: the bus closes when this block is left
  if (code === exitCodes.done && !json)
    await tellAfter(env.journalPath, asked.agent_id, (line) => process.stderr.write(`${line}\n`));
  return code;
}

/** Imported when it is asked for: most requests have no files. */
const attachedFiles = async (env: Environment, paths: string[]) =>
  (await import("../command/store-attachments.ts")).attachFiles(env.journalPath, paths, isOwnBus(env));

const labelsOf = ({ labels }: AskRequest): string[] => z.array(z.string()).safeParse(labels).data ?? [];

/**
 * Lists the wanted labels that no worker of this journal's bus has, as its cortex has written them down; none where
 * that isn't known.
 */
function labelsThatNobodyHas(journal: string, wanted: string[]): string[] {
  const live = wanted.length > 0 ? readLiveStatus(journal) : null;
  if (!live) return [];
  const had = new Set([...(live.labels ?? []), ...(live.workers ?? []).flatMap(({ labels }) => labels)]);
  return wanted.filter((label) => !had.has(label));
}

const nobodyHas = (labels: string[], agentId: string) =>
  `no worker has the label ${labels.map((label) => `"${label}"`).join(", ")}: the run waits until one does; see the workers: cortex status; cancel the run: cortex runs cancel ${agentId}`;

/** Ctrl-C before cortex has answered: the run is cancelled as soon as it is known. The second leaves at once. */
class EarlySignals implements Disposable {
  came = false;
  readonly #hearSignal = () => {
    this.came = true;
    process.stderr.write("the run is cancelled as soon as cortex has accepted it; Ctrl-C again exits at once\n");
    this[Symbol.dispose]();
  };

  constructor() {
    for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, this.#hearSignal);
  }

  [Symbol.dispose](): void {
    for (const signal of ["SIGINT", "SIGTERM"]) process.off(signal, this.#hearSignal);
  }
}

const isPromptSet = (set: string[] = []) => set.some((pair) => pair.startsWith("prompt="));

function noMore(positionals: string[]): string {
  if (positionals.length === 0) return "";
  throw usageError(`two prompts: --set prompt and "${positionals.join(" ")}"`, "leave out one of them");
}

/** A whole id is cortex's to judge; a part of one has to be found here. */
function wholeId(journal: string, given: string): string {
  return AgentId.safeParse(given).success ? given : findRun(journal, given);
}

async function promptOf(positionals: string[]): Promise<string> {
  const [prompt, ...more] = positionals;
  if (more.length > 0)
    throw usageError(
      `one prompt was expected, got ${positionals.length}`,
      `put it in quotes: cortex-request "${positionals.join(" ")}"`,
    );
  if (prompt !== undefined && prompt !== "-") return prompt;
  if (prompt === undefined && process.stdin.isTTY)
    throw usageError("no prompt", 'give one: cortex-request "What is due today?"');
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of process.stdin) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxPromptBytes)
      throw usageError(
        `the prompt on stdin is longer than ${maxPromptBytes} bytes`,
        "save it in the journal and name the file",
      );
  }
  const text = Buffer.concat(chunks).toString("utf8");
  if (text.trim() === "") throw usageError("no prompt", 'give one: cortex-request "What is due today?"');
  return text;
}

function explain(error: unknown): never {
  if (error instanceof TooLargeError)
    throw new CommandError(
      "usage",
      error.message,
      "copy the text into a note of the journal, and ask about that note",
      exitCodes.usage,
      {
        cause: error,
      },
    );
  if (error instanceof RejectedError) {
    const hint = error.reason === "overloaded" ? "wait, or see what runs: cortex status" : "see: cortex-request --help";
    throw new CommandError(error.reason, error.message, hint, exitCodes.refused, { cause: error });
  }
  if (error instanceof NoCortexError) throw noBusError(error.message, error);
  const message = messageOf(error);
  throw noBusError(`the bus doesn't store requests: ${message}`, error);
}

async function follow(
  bus: Bus,
  { agent_id, events }: RequestedRun,
  json: boolean,
  early: EarlySignals,
): Promise<number> {
  using progress = new Progress(process.stderr);
  const cancel = () => {
    if (!bus.isConnected) {
      progress.noteText(
        asTyped(`the bus is away: ${agent_id} couldn't be cancelled; later: cortex runs cancel ${agent_id}`),
      );
      process.exit(exitCodes.cancelled);
    }
    progress.noteText(`cancelling ${agent_id}; once more: leave at once`);
    bus.connection.publish(subjects.cancel(agent_id), "{}");
    process.once("SIGINT", () => process.exit(exitCodes.cancelled));
    setTimeout(() => process.exit(exitCodes.cancelled), cancelMs).unref();
  };
  early[Symbol.dispose]();
  if (early.came) cancel();
  else process.once("SIGINT", cancel).once("SIGTERM", cancel);
  let givingUp: NodeJS.Timeout | undefined;
  bus.onDisconnect(() => {
    progress.noteText(asTyped("the bus is gone; waiting for it. If nothing brings it back: cortex up"));
    givingUp = setTimeout(() => {
      progress.noteText(
        asTyped(`error: no bus for ${busAwayMs / 1000} s\n  the run may go on by itself: cortex runs tail ${agent_id}`),
      );
      process.exit(exitCodes.noBus);
    }, busAwayMs);
  });
  bus.onReconnect(() => {
    clearTimeout(givingUp);
    progress.noteText("the bus is back");
  });
  let code: number = exitCodes.failed;
  for await (const event of events) {
    if (json) process.stdout.write(`${JSON.stringify(event)}\n`);
    else progress.show(event);
    // With --json too: else nobody who reads along would know what it waits for.
    const question = questionLines(event);
    if (question !== null) progress.noteText(question);
    if (event.event === "finish") {
      code = exitCodes.done;
      if (!json) process.stdout.write(withNewline(textField(event, "result")));
    } else if (event.event === "error" && event["terminal"] !== false) {
      const reason = ErrorReason.safeParse(event["reason"]).data;
      code = exitCodeOf(reason);
      const error = textField(event, "error");
      if (!json)
        progress.noteText(
          `error: ${reason === "config" ? asTyped(error) : error} (${reason ?? "unknown"})\n  ${asTyped(`see: cortex runs show ${agent_id}`)}`,
        );
    }
  }
  clearTimeout(givingUp);
  return code;
}

const withNewline = (text: string) => (text.endsWith("\n") ? text : `${text}\n`);
