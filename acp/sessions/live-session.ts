/**
 * A session that an editor has open. One prompt at a time is answered in it; several sessions are answered at once. What is under way
 * when the editor goes away goes on without it.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { ContentBlock, PromptResponse } from "@agentclientprotocol/sdk";
import { RunFeed } from "../../bus/events/run-feed.ts";
import { followedFiles } from "../../journal/runs/followed-files.ts";
import { isTerminal } from "../../protocol/runs/event.ts";
import { textField } from "../../protocol/runs/text-field.ts";
import { refusedNow } from "../base/request-error.ts";
import { choicesOf, type Chosen, shownChoice, withOption } from "../choices/choices.ts";
import { isAgent } from "../choices/modes.ts";
import { readPrompt } from "../content/prompt-content.ts";
import { AgentTalk } from "./agent-talk.ts";
import { replayAgent, replayRuns, type OpenRun } from "./replay.ts";
import { cancelling, runPrompt } from "./run-prompt.ts";
import type { SessionContext } from "./session-context.ts";
import { stopReasonOf } from "./stop-reason.ts";
import { stoppingTurn } from "./stop-turn.ts";

/** A run that is stopped has ended by then: it is asked, 2 s, TERM, 10 s, KILL. In ms. */
const stoppedWithinMs = 15_000;

/** Characters of a title that is made of the first prompt. */
const longestTitle = 80;

export class LiveSession implements Disposable {
  readonly #context: SessionContext;
  readonly #unusedServers: readonly string[];
  #talk: AgentTalk | null = null;
  #isLeft = false;
  /** Stops what goes on in the session: a prompt, or a run that was begun before it was opened. */
  #cancel: AbortController | null = null;
  #underWay: Promise<unknown> = Promise.resolve();
  #isPrompted = false;
  #hasToldServers = false;

  /** @param unusedServers names of the editor's MCP servers: runs don't have them */
  constructor(context: SessionContext, unusedServers: readonly string[]) {
    this.#context = context;
    this.#unusedServers = unusedServers;
  }

  /** Leaves it: nothing is told any more. What is under way goes on. */
  [Symbol.dispose](): void {
    this.#isLeft = true;
    this.#context.out.leave();
    this.#context.permissions[Symbol.dispose]();
    this.#talk?.[Symbol.dispose]();
  }

  /** Opens a session that was there before. @param isShown whether what was said is told */
  async reopen(isShown: boolean): Promise<void> {
    const open = await replayRuns(this.#context, isShown);
    const talk = isAgent(this.#context.record.mode) ? await this.#agentTalk() : null;
    if (talk && isShown) await replayAgent(this.#context, talk.agentId);
    if (open) this.#goOnWith(open, talk);
  }

  /** The choices that there are, and the session's. */
  async choice() {
    return shownChoice(await choicesOf(this.#context.deps), this.#context.record);
  }

  /** @throws RequestError for a choice that there isn't */
  async choose(option: string, value: unknown) {
    const { deps, out } = this.#context;
    const choices = await choicesOf(deps);
    // Read behind the wait: another option may have been chosen meanwhile.
    const { record } = this.#context;
    const chosen = withOption(choices, record, option, value);
    this.#checkPartner(chosen);
    const isOther = isAgent(chosen.mode) || isAgent(record.mode);
    this.#context.record = { ...record, ...pick(chosen) };
    if (record.runs.length > 0) await this.#context.keep(() => ({}));
    if (isOther) this.#beginAnew();
    const shown = shownChoice(choices, this.#context.record);
    if (option === "mode") await out.send([{ sessionUpdate: "current_mode_update", currentModeId: chosen.mode }]);
    return shown.configOptions;
  }

  #beginAnew(): void {
    this.#talk?.[Symbol.dispose]();
    this.#talk = null;
    this.#context.restart();
  }

  /** A conversation with an agent is the agent's own, and one of runs isn't: what was said in one can't be taken into the other. */
  #checkPartner({ mode }: Chosen): void {
    const { record } = this.#context;
    if (mode === record.mode || (!isAgent(mode) && !isAgent(record.mode))) return;
    if (record.runs.length === 0 && !this.#isPrompted) return;
    throw refusedNow(`this session is a conversation with "${record.mode}": open another one for "${mode}"`);
  }

  /** Stops what is under way. */
  cancel(): void {
    this.#cancel?.abort();
  }

  /** Stops what is under way, and waits until it has ended. */
  async close(): Promise<void> {
    this.cancel();
    await Promise.race([this.#underWay, delay(stoppedWithinMs, undefined, { ref: false })]);
    this[Symbol.dispose]();
  }

  /**
   * Answers a prompt. Resolves when the run, or the agent's turn, has ended.
   * @throws RequestError while another one is answered; RunFailedError; UnheardError
   */
  async prompt(blocks: readonly ContentBlock[]): Promise<PromptResponse> {
    if (this.#isPrompted)
      throw refusedNow("a prompt is being answered in this session: wait for its end, or cancel it");
    this.#isPrompted = true;
    const former = this.#underWay;
    const cancel = new AbortController();
    const formerCancel = this.#cancel;
    // Who cancels means all of it: the run that is waited for, too.
    cancel.signal.addEventListener("abort", () => formerCancel?.abort());
    this.#cancel = cancel;
    const answer = this.#answer(blocks, former, cancel.signal);
    this.#underWay = answer.catch(() => {});
    try {
      return await Promise.race([answer, stoppedAtLast(cancel.signal)]);
    } catch (error) {
      // Whoever has cancelled isn't told what failed by that.
      if (cancel.signal.aborted) return cancelled;
      throw error;
    } finally {
      this.#isPrompted = false;
      this.#cancel = null;
    }
  }

  async #answer(
    blocks: readonly ContentBlock[],
    former: Promise<unknown>,
    cancel: AbortSignal,
  ): Promise<PromptResponse> {
    const context = this.#context;
    const content = await readPrompt(context.deps, blocks, context.record.cwd);
    await this.#tellUnusedServers();
    await former;
    if (cancel.aborted) return cancelled;
    await this.#nameBy(content.text);
    context.lastFinishReason = undefined;
    const end = isAgent(context.record.mode)
      ? await (await this.#agentTalk()).prompt(content, cancel)
      : await runPrompt(context, content, cancel);
    const stopReason = stopReasonOf(end, context.lastFinishReason);
    // The reason alone doesn't say what to do about it.
    if (end.event === "error" && stopReason !== "cancelled") await context.out.note(textField(end, "error"));
    return { stopReason, _meta: { run: end.agent_id } };
  }

  /**
   * Follows a run, or an agent's turn, that was begun before the session was opened. Pieces of a text that has begun are left out: it
   * is told whole.
   */
  #goOnWith({ run, toldSeq, questions }: OpenRun, talk: AgentTalk | null): void {
    const { deps, turns, record } = this.#context;
    const cancel = new AbortController();
    this.#cancel = cancel;
    const follow = async () => {
      const bus = await deps.client();
      using _turn = talk && turns.begin(talk.agentId, run, record.id);
      const { signal } = cancel;
      using _stopping = talk ? stoppingTurn(deps, talk.agentId, run, signal) : cancelling(bus, run, signal);
      for (const question of questions) this.#context.askAbout(question);
      for await (const event of new RunFeed(bus.connection, run, followedFiles(deps.journal).fileOf).events()) {
        if (event.seq > toldSeq) await this.#context.tell(event);
        if (isTerminal(event)) break;
      }
    };
    // Behind the answer to whoever opens it.
    this.#underWay = new Promise(setImmediate)
      .then(follow)
      .catch((error: unknown) => deps.log.warn({ agent_id: run, err: error }, "a run can't be followed any more"))
      .finally(() => {
        if (this.#cancel === cancel) this.#cancel = null;
      });
  }

  /** @throws RequestError where the session is left meanwhile: its editor is no terminal of the agent's any more */
  async #agentTalk(): Promise<AgentTalk> {
    const talk = this.#talk ?? (await AgentTalk.open(this.#context));
    if (this.#isLeft) {
      talk[Symbol.dispose]();
      throw refusedNow("the session was closed meanwhile");
    }
    this.#talk = talk;
    return talk;
  }

  /** A session is called by what is said first in it. */
  async #nameBy(text: string): Promise<void> {
    if (this.#context.record.title !== null) return;
    const line = text.trim().split("\n")[0] ?? "";
    const title = line.length > longestTitle ? `${line.slice(0, longestTitle).toWellFormed()}…` : line;
    await this.#context.keep(() => ({ title }));
    const updatedAt = new Date(this.#context.record.updated).toISOString();
    await this.#context.out.send([{ sessionUpdate: "session_info_update", title, updatedAt }]);
  }

  async #tellUnusedServers(): Promise<void> {
    if (this.#hasToldServers || this.#unusedServers.length === 0) return;
    this.#hasToldServers = true;
    await this.#context.out.note(
      `The editor's MCP servers (${this.#unusedServers.join(", ")}) aren't used: agents have those that cortex.json names in mcp_servers.`,
    );
  }
}

const cancelled: PromptResponse = { stopReason: "cancelled" };

/** Resolves when what was cancelled should have ended: where cortex is away it ends later, and the next prompt waits for that. */
async function stoppedAtLast(signal: AbortSignal): Promise<PromptResponse> {
  await new Promise((resolve) => {
    if (signal.aborted) resolve(null);
    else signal.addEventListener("abort", resolve, { once: true });
  });
  await delay(stoppedWithinMs, undefined, { ref: false });
  return cancelled;
}

const pick = ({ mode, model, effort }: Chosen): Chosen => ({ mode, model, effort });
