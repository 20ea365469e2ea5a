/** Makes a run of a request that this worker has taken: its file, its first line, what it came to, its process. */
import { ZodError } from "zod";
import type { ChildEntry } from "../../bus/claims/ledger.ts";
import { messageOf } from "../../files/errors/error-message.ts";
import { attachmentRules } from "../../journal/attachments/take-attachments.ts";
import type { WatchedPersonas } from "../../personas/watch.ts";
import { failpoint } from "../../proc/programs/failpoint.ts";
import type { Logger } from "../../proc/logging/log.ts";
import type { Request } from "../../protocol/runs/request/request.ts";
import { secretValues } from "../../protocol/runs/request/request-content.ts";
import type { Settings } from "../../protocol/settings/settings.ts";
import { defaultBackend } from "../plan/backend-choice.ts";
import type { EarlierAttempts } from "../claims/claim-view.ts";
import { ConfigError } from "../model/config-error.ts";
import { claimRunFile, importLines } from "./claim-file.ts";
import { historyOf } from "./history-of.ts";
import { LiveRun } from "./live-run.ts";
import { filesOfRequest, type RequestFiles } from "./request-files.ts";
import { requestLine, workSourceOf } from "./request-of-run.ts";
import type { Finalizer } from "../finalization/finalizer.ts";
import { folderFor, planFor } from "../plan/plan-for.ts";
import type { RunContext } from "../run-scope/run-context.ts";
import type { Ports } from "../ports/ports.ts";
import type { RunSoFar } from "../limits/run-so-far.ts";
import type { RunWriter } from "../output/run-writer.ts";
import { stamp } from "../output/stamp.ts";

export type StarterDeps = Pick<Ports, "clock" | "files" | "requests" | "publisher" | "ledger"> & {
  journal: string;
  timeZone: string;
  log: Logger;
  settings: () => Settings;
  personas: Pick<WatchedPersonas, "get" | "all" | "problems">;
};

/** The context that the starter needs of the cortex around it. */
export type StarterContext = {
  context: RunContext;
  finalizer: Finalizer;
  /** Sees a run to its end. */
  takeUp: (run: LiveRun, go: () => Promise<void>) => void;
  /** Asks until the bus answers. */
  insist: <T>(ask: () => Promise<T>) => Promise<T>;
  /** Whether an id belongs to a request that has no file yet. */
  isWaiting: (agentId: string) => boolean;
};

/** A request, and where it stands in the stream. */
export type QueuedRequest = { request: Request; streamSeq: number };

export class Starter {
  readonly #deps: StarterDeps;
  readonly #context: StarterContext;

  constructor(deps: StarterDeps, context: StarterContext) {
    this.#deps = deps;
    this.#context = context;
  }

  /**
   * Starts what this worker has taken.
   * @param before what others may have done about it
   */
  async start(agentId: string, asked: QueuedRequest, before: EarlierAttempts): Promise<void> {
    const claimed = await claimRunFile(this.#deps, agentId);
    if (claimed) await this.goOnWithRun(claimed.writer, asked, claimed.soFar, before);
  }

  /**
   * Starts what this worker has taken, and whose file it has claimed.
   * @param asked null when the request was lost
   * @param soFar what the file says already
   * @param before what others may have done about it. Their words are fetched first; safe to repeat
   */
  async goOnWithRun(
    writer: RunWriter,
    asked: QueuedRequest | null,
    soFar: RunSoFar,
    before: EarlierAttempts,
  ): Promise<void> {
    // Its file is claimed: nobody else would try again.
    if (before.isTakenOver) await this.#context.insist(() => importLines(this.#deps, writer, soFar));
    const promised = await this.#promised(asked?.request.handoff_from);
    await this.#startClaimed(writer, asked, soFar, before, promised);
  }

  /**
   * Reads the child that a run has handed on to, as the ledger knows it: it may have run elsewhere. Waits for the bus,
   * since without an answer its child would be refused. Null also where the ledger's entry can't be read.
   */
  async #promised(parent: string | undefined): Promise<ChildEntry | null> {
    if (parent === undefined) return null;
    return this.#context.insist(() =>
      this.#deps.ledger.childOf(parent).catch((error: unknown) => {
        if (error instanceof SyntaxError || error instanceof ZodError) return null;
        throw error;
      }),
    );
  }

  /** Ends a request that was cancelled before it became a process. */
  async endCancelled(agentId: string, request: Request): Promise<void> {
    const claimed = await claimRunFile(this.#deps, agentId);
    if (!claimed) return;
    const { writer } = claimed;
    await writer.write([requestLine(request)]);
    await writer.write([{ event: "error", error: "cancelled before it started", reason: "cancelled" }]);
    await writer.close();
    this.#context.finalizer.finalizeRun(agentId);
  }

  /**
   * Writes the request line, merges, starts. Whatever can't start is a run all the same, with an error.
   * @param asked null when the request was lost: then nothing can be done but to say so
   * @param soFar what the file says already
   */
  async #startClaimed(
    writer: RunWriter,
    asked: QueuedRequest | null,
    soFar: RunSoFar,
    before: EarlierAttempts,
    promised: ChildEntry | null,
  ): Promise<void> {
    const { log } = this.#deps;
    const { agentId } = writer;
    if (asked) writer.keepSecret(secretValues(asked.request));
    try {
      if (!asked) throw new ConfigError("its request is no longer in the bus's store");
      const taken = await this.#filesOf(asked.request, soFar);
      if (soFar.events === 0) await writer.write([requestLine(asked.request, taken)]);
      failpoint("request-written");
      if (taken.problem !== null && !soFar.terminal) throw new ConfigError(taken.problem);
      const run = await this.#prepare(writer, asked, soFar, before, promised, taken);
      if (soFar.terminal) this.#context.takeUp(run, () => run.finishOnly(!before.isTakenOver));
      else this.#context.takeUp(run, () => run.start());
    } catch (error) {
      const reason = error instanceof ConfigError ? error.reason : "internal";
      if (reason === "internal") log.error({ agent_id: agentId, err: error }, "a run couldn't be prepared");
      const message = messageOf(error);
      const detail = error instanceof ConfigError && error.detail !== undefined ? { detail: error.detail } : {};
      if (!soFar.terminal) await writer.write([{ event: "error", error: message, reason, ...detail }]);
      await writer.close();
      this.#context.finalizer.finalizeRun(agentId);
    }
  }

  async #filesOf(request: Request, soFar: RunSoFar): Promise<RequestFiles> {
    const { files, settings } = this.#deps;
    return filesOfRequest(request, soFar, async (refs) => {
      const source = await workSourceOf(files, request);
      const folder = folderFor(request, { ...this.#mergedWith, isHandedOn: false, source });
      return files.takeAttachments(refs, attachmentRules(settings()), folder);
    });
  }

  async #prepare(
    writer: RunWriter,
    asked: QueuedRequest,
    soFar: RunSoFar,
    before: EarlierAttempts,
    child: ChildEntry | null,
    { parts, conversation, notes: ofFiles }: RequestFiles,
  ): Promise<LiveRun> {
    const { clock, files } = this.#deps;
    const { agentId } = writer;
    const { request, streamSeq } = asked;
    const parent = request.handoff_from;
    const isHandedOn =
      child?.agent_id === agentId || (parent !== undefined && (await files.hasHandedOn(parent, agentId)));
    const source = await workSourceOf(this.#deps.files, request);
    const plan = await planFor(agentId, request, { ...this.#mergedWith, isHandedOn, source });
    if (parts.length > 0) plan.config["parts"] = parts;
    plan.conversation = conversation;
    const history = await historyOf(files, plan, agentId, (id) => this.#context.isWaiting(id));
    // One that may have started elsewhere counts, also when nothing of it was heard: no number is used twice.
    const lost = Math.max(before.attempts, soFar.starts);
    if (lost >= plan.limits.max_attempts && !soFar.terminal)
      throw new ConfigError(`lost ${lost} times, the last time with its worker`, "interrupted");
    const notes = [...plan.notes, ...ofFiles].filter((note) => !soFar.hasNote(note));
    if (notes.length > 0 && !soFar.terminal) await writer.write(notes.map((message) => ({ event: "info", message })));
    if (plan.continueFrom !== undefined) await this.#sayContinued(plan.continueFrom, agentId);
    const work_folder = await files.makeWorkFolder(agentId, plan, this.#deps.settings().folders);
    const token = await files.issueToken(agentId, plan, work_folder, this.#context.context.host.resources);
    const gatewayToken = await files.issueGatewayToken(agentId, plan);
    failpoint("token-issued");
    const record = {
      request,
      stream_seq: streamSeq,
      plan,
      attempt: 1 + lost,
      lost,
      chain_length: child?.agent_id === agentId ? child.chain_length : await files.chainLength(agentId),
      started: clock.now().wall,
      work_folder,
      ...(token === undefined ? {} : { mcp_token: token }),
      ...(gatewayToken === undefined ? {} : { gateway_token: gatewayToken }),
    };
    await files.keepRecord(agentId, record);
    failpoint("record-kept");
    return new LiveRun(this.#context.context, writer, { plan, record, history, soFar });
  }

  /** The documents that a request is merged with. */
  get #mergedWith() {
    const { journal, settings, personas, timeZone } = this.#deps;
    return {
      journal,
      settings: settings(),
      personas,
      timeZone,
      defaultBackend: defaultBackend(settings(), process.env),
      resources: this.#context.context.host.resources,
    };
  }

  /** The source of a continuation gets a line that names it, in its file and on the bus. */
  async #sayContinued(source: string, to: string): Promise<void> {
    const { clock, files, publisher } = this.#deps;
    // An agent goes on from its history: its run may have been deleted.
    if (files.state(source) === "absent") return;
    if (await files.find(source, ["continue"], (said) => said["to"] === to)) return;
    const say = (seq: number) => stamp({ event: "continue", to }, source, seq, clock.now().wall);
    const event = await files.appendToEnded(source, say);
    if (publisher.isOpen(source)) publisher.publish(event, JSON.stringify(event));
    else this.#context.finalizer.markPending(source);
  }
}
