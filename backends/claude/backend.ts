/**
 * `claude`: a run on Claude Code, by its Agent SDK. It has a loop, tools and retries of its own, so it takes the run itself: here
 * its session is started in the facet's folder, told what the run is told, and heard to its end.
 */
import { randomUUID } from "node:crypto";
import { basename } from "node:path";
import type { Options, SDKAssistantMessageError, SDKMessage, SDKResultMessage } from "@anthropic-ai/claude-agent-sdk";
import { untilAborted } from "../provider/abort.ts";
import { RunFailure } from "../provider/failure.ts";
import type { Run } from "../loop/run.ts";
import { startEvent } from "../loop/start-event.ts";
import { accountFailure, failureOf } from "./failures.ts";
import { Narrator } from "./narrator.ts";
import { defaultModel, optionsFor } from "./options.ts";
import { Said } from "./said.ts";
import { loadSdk, sdkFailure } from "./sdk.ts";
import { beginning, type Session } from "./sessions.ts";
import { nothing } from "./used.ts";

/** How much of what its program says on stderr explains a failure. */
const stderrLength = 4_096;

/** How long its program may take to write the session down, once the run has its answer. */
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
  const { session, prompt, fromScratch } = beginning(config);
  const options = { ...optionsFor(run, folder), sessionId: session_id };
  if (session) {
    // A copy: two runs may go on from the same one.
    const resuming = { ...options, resume: session.session_id, forkSession: true };
    if (await new Conversation(run, resuming, session).hold([prompt])) return;
    await run.emit({ event: "info", message: "the former session is gone: the conversation goes on from its record" });
  }
  await new Conversation(run, options, undefined).hold(fromScratch);
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
  readonly #said = new Said();
  readonly #narrator: Narrator;
  readonly #hasKey: boolean;
  #stderr = "";
  /** The kind of error that Claude Code names on its own last message. */
  #error: SDKAssistantMessageError | undefined;
  #hasBegun = false;
  #isFinished = false;
  #inputs = 0;

  /** @param former the session that is resumed */
  constructor(run: Run, options: Options, former: Session | undefined) {
    this.#run = run;
    this.#options = options;
    this.#former = former;
    this.#narrator = new Narrator(run, options.model ?? defaultModel);
    this.#hasKey = Boolean(run.environment["ANTHROPIC_API_KEY"]);
  }

  /** Up to the `finish` event. Returns whether there was one: not where the session to resume isn't there any more. */
  async hold(prompt: readonly string[]): Promise<boolean> {
    const { query } = await loadSdk();
    const leaving = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    this.#said.say(...prompt);
    const stderr = (text: string) => void (this.#stderr = (this.#stderr + text).slice(-stderrLength));
    // What it writes stands in the journal: for nobody else to read, whatever the umask was.
    process.umask(0o077);
    const session = query({ prompt: this.#said, options: { ...this.#options, stderr } });
    try {
      for await (const message of untilAborted(session, AbortSignal.any([this.#run.signal, leaving.signal]))) {
        if (this.#isFinished) continue;
        if (message.type !== "result") {
          await this.#hear(message);
        } else if (this.#former && !this.#hasBegun && message.subtype === "error_during_execution") {
          return false;
        } else if (await this.#hearResult(message)) {
          this.#isFinished = true;
          this.#said.end();
          timer = setTimeout(() => leaving.abort(), leaveMs);
        }
        for (const text of this.#run.inbox.take()) {
          this.#said.say(text);
          this.#inputs++;
        }
      }
    } catch (error) {
      if (this.#isFinished) return true;
      throw error instanceof RunFailure || this.#run.signal.aborted ? error : sdkFailure(error, this.#stderr);
    } finally {
      clearTimeout(timer);
      this.#said.end();
      session.close();
    }
    if (this.#isFinished) return true;
    throw sdkFailure(new Error("it left without an answer"), this.#stderr);
  }

  async #hear(message: SDKMessage): Promise<void> {
    if (message.type === "system" && message.subtype === "init") this.#hasBegun = true;
    if (message.type === "assistant" && message.error !== undefined) this.#error = message.error;
    // A login can be renewed, and is tried again for that; a key can't.
    const isRefused =
      message.type === "system" && message.subtype === "api_retry" && message.error === "authentication_failed";
    if (isRefused && this.#hasKey) throw accountFailure(true, ` (${message.error_status})`, "");
    await this.#narrator.hear(message);
  }

  /** Whether that was the run's last word. */
  async #hearResult(result: SDKResultMessage): Promise<boolean> {
    const narrator = this.#narrator;
    const { total, own } = await narrator.settle(result.modelUsage, this.#former?.used ?? nothing);
    const failure = failureOf(result, this.#error, this.#run.config, this.#hasKey);
    if (failure) throw failure;
    this.#error = undefined;
    // Looked at last: nothing that was said to the run before its `finish` may be lost.
    if (!this.#said.isHeardBy(result) || !this.#run.inbox.isEmpty) return false;
    const answer = narrator.answer || (result.subtype === "success" ? result.result : "");
    const { model } = narrator;
    if (answer.trim() === "") throw new RunFailure("provider", `claude (${model}) answered with nothing`);
    const session_id = this.#options.sessionId;
    await this.#run.emit({ event: "thinking", model, opaque: { session_id, used: total } });
    const usage = { model, ...own, total_tokens: own.input_tokens + own.output_tokens };
    const inputs = this.#inputs > 0 ? { inputs: this.#inputs } : {};
    await this.#run.emit({ event: "finish", result: answer, usage, ...inputs, session_id });
    return true;
  }
}
