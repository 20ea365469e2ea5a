/**
 * Questions about calls of runs: the call waits in the tool server, which asks here until it is answered. A question is told
 * to cortex first, which writes it into the run's file and stops the clocks; then it is kept, then its user is asked. The first
 * answer counts. All of it is known by the question's id, so that after a crash of anybody each step is done again, once.
 */
import { setTimeout as delay } from "node:timers/promises";
import { tellPermission } from "../../bus/runs/permission-notices.ts";
import { SerialQueue } from "../../files/serial-queue.ts";
import { keepRules } from "../../journal/config/keep-rules.ts";
import { keepQuestion, listQuestions, removeQuestion } from "../../journal/permissions/questions.ts";
import { runState } from "../../journal/runs/run-files.ts";
import { failpoint } from "../../proc/programs/failpoint.ts";
import type { CallQuestion, KeptQuestion, QuestionAnswer } from "../../protocol/permissions/call-question.ts";
import { channelTypes } from "../../protocol/agents/agents-settings.ts";
import type { Channel } from "../../protocol/agents/channel.ts";
import type { AgentDeps } from "../record/agent-deps.ts";
import type { AgentRecord } from "../record/agent-record.ts";
import type { AgentDirectory } from "../record/directory.ts";
import { answerHint, questionText } from "./question-text.ts";

type QuestionDeps = Pick<AgentDeps, "journal" | "bus" | "log" | "settings" | "sendReply" | "publishEvent"> & {
  directory: AgentDirectory;
};

/** How long an answer is waited for before the tool server asks again, in ms: less than it waits for us. */
const pollMs = 3000;
/** What couldn't be told is told again, and what is open is looked at, so often, in ms. */
const againMs = 500;
/** Waiting for a person, where the settings don't say: of a run that nobody watches, and of a long-lived agent, in seconds. */
const usualSeconds = { run: 300, agent: 86_400 };
/** More at once aren't put: nobody would answer them. */
const mostOpen = 1000;
/** Answered ones are known so long, so that a second answer is told so, in ms. */
const keptMs = 7 * 86_400_000;

/** What can't be decided so, for whoever decides to read. */
export class DecisionError extends Error {
  override name = "DecisionError";
}

export class CallQuestions implements Disposable {
  readonly #deps: QuestionDeps;
  readonly #questions = new Map<string, KeptQuestion>();
  readonly #beingAsked = new Map<string, Promise<QuestionAnswer | null>>();
  readonly #onDecided = new Map<string, PromiseWithResolvers<void>>();
  readonly #decisions = new SerialQueue();
  readonly #timer: NodeJS.Timeout;
  #isLooking = false;

  constructor(deps: QuestionDeps) {
    this.#deps = deps;
    // Told once more: a cortex that lost its power may not know of it.
    for (const question of listQuestions(deps.journal))
      this.#questions.set(question.id, { ...question, is_told: false });
    this.#timer = setInterval(() => void this.#look(), againMs);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  /** Those that wait for an answer, the oldest first. */
  get open(): KeptQuestion[] {
    return [...this.#questions.values()].filter(isOpen).toSorted((a, b) => a.ts - b.ts);
  }

  get all(): KeptQuestion[] {
    return [...this.#questions.values()];
  }

  get(id: string): KeptQuestion | undefined {
    return this.#questions.get(id);
  }

  /** Asks, or waits on: resolves with the answer, or after a while without one. */
  async ask(run: string, asked: CallQuestion): Promise<QuestionAnswer> {
    if (!this.#questions.has(asked.id)) {
      if (asked.known_only) return { state: "unknown" };
      const putting = this.#beingAsked.get(asked.id) ?? this.#take(run, asked);
      this.#beingAsked.set(asked.id, putting);
      const answer = await putting.finally(() => this.#beingAsked.delete(asked.id));
      if (answer) return answer;
    }
    const question = this.#questions.get(asked.id);
    if (!question || question.run !== run) return { state: "unknown" };
    if (!isAnswered(question)) {
      const decided = this.#onDecided.get(question.id) ?? Promise.withResolvers<void>();
      this.#onDecided.set(question.id, decided);
      await Promise.race([decided.promise, delay(pollMs, undefined, { ref: false })]);
    }
    const now = this.#now(question);
    const { decision: state = "open", by = "" } = now;
    return isAnswered(now) ? { state, by } : { state: "open" };
  }

  /** Null: it is kept, and waits. */
  async #take(run: string, asked: CallQuestion): Promise<QuestionAnswer | null> {
    const { bus, journal, directory, settings } = this.#deps;
    if (this.open.length >= mostOpen) return { state: "deny", by: "too many open questions" };
    const agent = directory.ofRun(run);
    const seconds = settings().permission_timeout_seconds ?? (agent ? usualSeconds.agent : usualSeconds.run);
    const { known_only: _, ...said } = asked;
    const question: KeptQuestion = { ...said, run, ts: Date.now(), expires: Math.ceil(Date.now() + seconds * 1000) };
    const told = await tellPermission(bus, run, noticeOf(question));
    if (told === null && runState(journal, run) !== "ended") {
      await delay(againMs);
      return { state: "open" };
    }
    if (!told?.ok) return { state: "over" };
    failpoint("question-told");
    const channel = agent && this.#channelOf(agent);
    const kept = { ...question, args: told.args, ...(agent && { agent: agent.id }), ...(channel && { channel }) };
    await this.#keep(kept);
    failpoint("question-kept");
    await this.#put(kept);
    return null;
  }

  /** Where the user of an agent is asked: where they speak to it, else where they were last. */
  #channelOf({ descriptor, state }: AgentRecord): Channel | undefined {
    const { directory, settings } = this.#deps;
    const own = descriptor.kind === "main" ? (state.turn?.channel ?? state.last_channel) : undefined;
    const channel = own ?? directory.foreground?.state.last_channel;
    return channel && channelTypes(settings().channels).includes(channel.type) ? channel : undefined;
  }

  async #put(question: KeptQuestion): Promise<void> {
    const { directory, sendReply, publishEvent } = this.#deps;
    const { id, run, agent, channel } = question;
    if (agent === undefined) return;
    if (channel) {
      const { descriptor } = directory.get(agent) ?? {};
      const text = questionText(descriptor?.name ?? (descriptor?.kind === "subagent" ? "a sub-agent" : "I"), question);
      const permission = { token: id, text, always: question.rules.length > 0 };
      const whole = `${text}\n${answerHint(question)}`;
      await sendReply({ id: `permission-${id}`, text: whole, channel, metadata: { permission }, agent_id: agent });
    }
    await this.#keep({ ...this.#now(question), is_put: true });
    publishEvent(agent, "permission_requested", { token: id, run_id: run, tool: question.tool });
  }

  /**
   * Answers a question. False: it was answered before.
   * @throws DecisionError when there is none, or `always` can't be kept
   */
  async decide(id: string, decision: "allow" | "deny", by: string, always = false): Promise<boolean> {
    let isFirst = false;
    const decided = this.#decisions.run(async () => {
      const question = this.#questions.get(id);
      if (!question) throw new DecisionError(`there is no question "${id}": see cortex permissions list`);
      if (!isOpen(question)) return;
      if (always) await this.#keepRules(question, decision);
      failpoint("rule-kept");
      await this.#keep({ ...question, decision, by, decided: Date.now(), is_told: false, ...(always && { always }) });
      isFirst = true;
    });
    await decided;
    failpoint("decision-kept");
    if (!isFirst) return false;
    const question = this.#questions.get(id);
    if (question) await this.#tell(question);
    return true;
  }

  async #keepRules({ rules }: KeptQuestion, decision: "allow" | "deny"): Promise<void> {
    if (rules.length === 0) throw new DecisionError("no rule can say this: answer without always");
    await keepRules(
      this.#deps.journal,
      rules.map((rule) => ({ ...rule, decide: decision })),
    ).catch((error: unknown) => {
      throw new DecisionError(`the rule can't be kept, and nothing is decided: ${String(error)}`);
    });
  }

  /** Tells cortex of a question, or of its answer: with that in its run's file the call goes on. Tried again until it's told. */
  async #tell(question: KeptQuestion): Promise<void> {
    const { bus, journal } = this.#deps;
    const { run, decision, by = "", always } = question;
    const asked = await tellPermission(bus, run, noticeOf(question));
    const answer =
      asked?.ok && decision !== undefined
        ? await tellPermission(bus, run, {
            event: "permission_decided",
            id: question.id,
            decision,
            by,
            ...(always && { always }),
          })
        : asked;
    const isOver = answer === null ? runState(journal, run) === "ended" : !answer.ok;
    const now = this.#now(question);
    if (!(answer?.ok || isOver) || now.decision !== decision) return;
    await this.#keep({ ...now, is_told: true });
    if (decision === undefined) return;
    this.#onDecided.get(question.id)?.resolve();
    this.#onDecided.delete(question.id);
    const { id, agent } = question;
    if (agent !== undefined) this.#deps.publishEvent(agent, "permission_decided", { token: id, run_id: run, decision });
  }

  /** Denies what nobody has answered in time, ends what its run no longer asks, and does again what a crash has left undone. */
  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    for (const question of this.#questions.values())
      await this.#lookAt(question).catch((error: unknown) => {
        // The others go on.
        const { id, run } = question;
        this.#deps.log.warn({ id, agent_id: run, err: error }, "a question about a call can't be looked after now");
      });
    this.#isLooking = false;
  }

  async #lookAt(question: KeptQuestion): Promise<void> {
    const { journal } = this.#deps;
    const { id, run, expires, decided, is_told } = question;
    if (decided !== undefined && is_told) {
      if (Date.now() - decided < keptMs || runState(journal, run) !== "ended") return;
      this.#questions.delete(id);
      return removeQuestion(journal, id);
    }
    if (decided !== undefined) return this.#tell(question);
    if (runState(journal, run) === "ended") return void (await this.decide(id, "deny", "the run's end"));
    if (Date.now() >= expires) return void (await this.decide(id, "deny", "timeout"));
    if (question.agent !== undefined && !question.is_put) await this.#put(question);
    if (!is_told) await this.#tell(question);
  }

  async #keep(question: KeptQuestion): Promise<void> {
    await keepQuestion(this.#deps.journal, question);
    this.#questions.set(question.id, question);
  }

  #now(question: KeptQuestion): KeptQuestion {
    return this.#questions.get(question.id) ?? question;
  }
}

/** Whether its call goes on: the answer stands in the run's file. */
const isAnswered = ({ decision, is_told = false }: KeptQuestion) => decision !== undefined && is_told;

const isOpen = ({ decision }: KeptQuestion) => decision === undefined;

const noticeOf = ({ id, tool, args, why, expires, loop, call_id }: KeptQuestion) => ({
  event: "permission" as const,
  id,
  tool,
  args,
  why,
  expires,
  ...(loop && { loop }),
  ...(call_id !== undefined && { call_id }),
});
