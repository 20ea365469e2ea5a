/**
 * `claude`: a run on Claude Code, by its Agent SDK. It has a loop, tools and retries of its own, so it takes the run itself: here
 * its session is started in the facet's folder, gets the run's inputs, and is followed to its end.
 */
import { randomUUID } from "node:crypto";
import { basename } from "node:path";
import type { Options, SDKAssistantMessageError, SDKMessage, SDKResultMessage } from "@anthropic-ai/claude-agent-sdk";
import { isTaken } from "../anthropic/media-blocks.ts";
import { untilAborted } from "../provider/abort.ts";
import { RunFailure } from "../provider/failure.ts";
import type { ShownMessage } from "../provider/media.ts";
import type { Run } from "../loop/run/run.ts";
import { ShownFiles } from "../loop/files/shown-files.ts";
import { startEvent } from "../loop/run/start-event.ts";
import { accountFailure, failureOf } from "./failures.ts";
import { EventMapper } from "./event-mapper.ts";
import { defaultModel, optionsFor } from "./options.ts";
import { InputStream } from "./input-stream.ts";
import { loadSdk, sdkFailure } from "./sdk.ts";
import { sessionStart, type Session } from "./sessions.ts";
import { noUsage } from "./usage.ts";

/** Length of the stderr excerpt that explains a failure. */
const stderrLength = 4_096;

/** Time for the program to write its session down, once the run has its answer. */
const leaveMs = 5_000;

/**
 * Runs an agent in its facet's folder.
 * @param folder the process's working folder
 * @throws RunFailure; anything once the run is cancelled
 */
export async function claude(run: Run, folder: string): Promise<void> {
  const { config } = run;
  const session_id = randomUUID();
  await run.emit({ ...startEvent(config, "claude", config.model ?? defaultModel), session_id });
  checkFolder(config["facet"], folder);
  // Its own tools open nothing outside of the facet's folder, and it has no others.
  const files = new ShownFiles(config.attachments_folder, isTaken, []);
  const { session, prompt, fromScratch } = await sessionStart(config, files);
  const options = { ...optionsFor(run, folder), sessionId: session_id };
  if (session) {
    // A copy: two runs may go on from the same one.
    const resuming = { ...options, resume: session.session_id, forkSession: true };
    if (await new Conversation(run, resuming, session, files).hold([prompt])) return;
    await run.emit({ event: "info", message: "the former session is gone: the conversation goes on from its record" });
  }
  await new Conversation(run, options, undefined, files).hold(fromScratch);
}

function checkFolder(facet: unknown, folder: string): void {
  if (typeof facet !== "string" || facet === "")
    throw new RunFailure("config", "the claude backend works in a facet's folder: give one with --facet");
  if (basename(folder) !== facet)
    throw new RunFailure(
      "config",
      `the claude backend works in the folder of facet "${facet}", not in ${folder}: start it there`,
    );
}

class Conversation {
  readonly #run: Run;
  readonly #options: Options;
  readonly #former: Session | undefined;
  readonly #input = new InputStream();
  readonly #files: ShownFiles;
  readonly #events: EventMapper;
  readonly #hasKey: boolean;
  #stderr = "";
  /** The kind of error that Claude Code names on its own last message. */
  #error: SDKAssistantMessageError | undefined;
  #hasBegun = false;
  #isFinished = false;
  #inputs = 0;
  /** Ids of inputs to the attempts before, of which nobody has said that they were heard. */
  readonly #formerInputs: string[];

  /** @param former the session that is resumed */
  constructor(run: Run, options: Options, former: Session | undefined, files: ShownFiles) {
    this.#run = run;
    this.#files = files;
    this.#options = options;
    this.#former = former;
    this.#formerInputs = [...(run.config.former_inputs ?? [])];
    this.#events = new EventMapper(run, options.model ?? defaultModel);
    this.#hasKey = Boolean(run.environment["ANTHROPIC_API_KEY"]);
  }

  /** Runs up to the `finish` event. Returns whether there was one: false where the session to resume is gone. */
  async hold(prompt: readonly ShownMessage[]): Promise<boolean> {
    const { query } = await loadSdk();
    const leaving = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    this.#input.push(...prompt);
    const stderr = (text: string) => void (this.#stderr = (this.#stderr + text).slice(-stderrLength));
    // Its files are in the journal, where nobody else may read them, whatever the umask was.
    process.umask(0o077);
    const session = query({ prompt: this.#input, options: { ...this.#options, stderr } });
    try {
      for await (const message of untilAborted(session, AbortSignal.any([this.#run.signal, leaving.signal]))) {
        if (this.#isFinished) continue;
        if (message.type !== "result") {
          await this.#handle(message);
        } else if (this.#former && !this.#hasBegun && message.subtype === "error_during_execution") {
          return false;
        } else if (await this.#handleResult(message)) {
          this.#isFinished = true;
          this.#input.end();
          timer = setTimeout(() => leaving.abort(), leaveMs);
        }
        for (const said of this.#run.inbox.takeInputs()) {
          const { id, ...words } = said;
          const [message] = await this.#files.show([{ role: "user", ...words }]);
          if (message) this.#input.pushInput(message, id);
          this.#inputs++;
        }
      }
    } catch (error) {
      if (this.#isFinished) return true;
      await this.#events.leave();
      throw error instanceof RunFailure || this.#run.signal.aborted ? error : sdkFailure(error, this.#stderr);
    } finally {
      clearTimeout(timer);
      this.#input.end();
      session.close();
    }
    if (this.#isFinished) return true;
    throw sdkFailure(new Error("it left without an answer"), this.#stderr);
  }

  async #handle(message: SDKMessage): Promise<void> {
    if (message.type === "system" && message.subtype === "init") this.#hasBegun = true;
    if (message.type === "assistant" && message.error !== undefined) this.#error = message.error;
    // A login can be renewed, and is tried again for that; a key can't.
    const isRefused =
      message.type === "system" && message.subtype === "api_retry" && message.error === "authentication_failed";
    if (isRefused && this.#hasKey) throw accountFailure(true, ` (${message.error_status})`, "");
    await this.#events.handle(message);
  }

  /** Whether the run has ended with that result. */
  async #handleResult(result: SDKResultMessage): Promise<boolean> {
    const events = this.#events;
    const { total, own } = await events.finalUsage(result.modelUsage, this.#former?.used ?? noUsage);
    const failure = failureOf(result, this.#error, this.#run.config, this.#hasKey);
    if (failure) throw failure;
    this.#error = undefined;
    // Checked last: no input that came before the run's `finish` may be lost.
    const isRead = this.#input.isReadBy(result);
    for (const id of [...this.#formerInputs.splice(0), ...this.#input.takeRead()])
      await this.#run.emit({ event: "input_taken", id });
    if (!isRead || !this.#run.inbox.isEmpty) return false;
    const answer = events.answer || (result.subtype === "success" ? result.result : "");
    const { model } = events;
    if (answer.trim() === "")
      throw new RunFailure("provider", `claude (${model}) answered with nothing`, { detail: "empty" });
    const session_id = this.#options.sessionId;
    await this.#run.emit({ event: "thinking", model, opaque: { session_id, used: total } });
    const usage = { model, ...own, total_tokens: own.input_tokens + own.output_tokens };
    const inputs = this.#inputs > 0 ? { inputs: this.#inputs } : {};
    await this.#run.emit({ event: "finish", result: answer, usage, ...inputs, session_id });
    return true;
  }
}
