/**
 * Questions to the user, all of them in one store. One about a call of a run: the call waits in the tool server, which asks here
 * until it is answered; cortex is told first, which writes it into the run's file and stops the clocks. One whether an agent may
 * write somewhere (`write_path`) holds up no call: its answer is a message to the agent. A question is kept, then put to its
 * user; the first answer counts. All of it is known by the question's id, so that after a crash of anybody each step is done
 * again, once.
 */
import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { keepRules } from "../../journal/config/keep-rules.ts";
import { failpoint } from "../../proc/programs/failpoint.ts";
import type { CallQuestion, KeptQuestion, QuestionAnswer } from "../../protocol/permissions/call-question.ts";
import { channelTypes } from "../../protocol/agents/agents-settings.ts";
import type { Channel } from "../../protocol/agents/channel.ts";
import type { AgentDeps } from "../record/agent-deps.ts";
import type { AgentRecord } from "../record/agent-record.ts";
import type { AgentDirectory } from "../record/directory.ts";
import { isOpen, QuestionStore } from "./question-store.ts";
import { answerHint, questionText } from "./question-text.ts";
import { QuestionWatch, questionWatchMs } from "./question-watch.ts";
import { tellAsked, tellDecided } from "./tell-agents.ts";
import { tellQuestion, tellRun } from "./tell-run.ts";
import { waitingSeconds } from "./waiting-time.ts";

type QuestionDeps = Pick<AgentDeps, "journal" | "bus" | "log" | "settings" | "messages" | "publishEvent"> & {
  directory: AgentDirectory;
};

/** Milliseconds for which an answer is waited for before the tool server asks again: less than it waits for us. */
const pollMs = 3000;
/** More at once aren't put: nobody would answer them. */
const mostOpen = 1000;

type DecisionExtras = {
  always?: boolean | undefined;
  reason?: string | undefined;
  request?: string | undefined;
};

/** A decision that can't be made, with words for the one who decides. */
export class DecisionError extends Error {
  override name = "DecisionError";
}

export class Questions implements Disposable {
  readonly #deps: QuestionDeps;
  readonly #store: QuestionStore;
  readonly #beingAsked = new Map<string, Promise<QuestionAnswer | null>>();
  readonly #onDecided = new Map<string, PromiseWithResolvers<void>>();
  readonly #watch: QuestionWatch;

  constructor(deps: QuestionDeps) {
    this.#deps = deps;
    this.#store = new QuestionStore(deps.journal);
    this.#watch = new QuestionWatch(deps, this.#store, {
      deny: (id, by) => this.decide(id, "deny", by),
      put: (id) => this.#put(id),
      tellDecision: (question) => this.#tellDecision(question),
    });
  }

  [Symbol.dispose](): void {
    this.#watch[Symbol.dispose]();
  }

  /** The questions, to be read. */
  get kept(): Pick<QuestionStore, "all" | "open" | "get" | "of"> {
    return this.#store;
  }

  /** A question, with one that is being asked once it is kept: whoever reads the run's file may answer it before. */
  async find(id: string): Promise<KeptQuestion | undefined> {
    await this.#beingAsked.get(id)?.catch(() => null);
    return this.#store.get(id);
  }

  /** The questions whose ids begin so, with those that are being asked once they are kept. */
  async findAll(begin: string): Promise<KeptQuestion[]> {
    const asked = [...this.#beingAsked].flatMap(([id, putting]) => (id.startsWith(begin) ? [putting] : []));
    await Promise.allSettled(asked);
    return this.#store.all.filter(({ id }) => id.startsWith(begin));
  }

  /** Asks, or waits on: resolves with the answer, or after a while without one. */
  async ask(run: string, asked: CallQuestion): Promise<QuestionAnswer> {
    if (!this.#store.get(asked.id)) {
      const putting = this.#beingAsked.get(asked.id) ?? this.#takeQuestion(run, asked);
      this.#beingAsked.set(asked.id, putting);
      const answer = await putting.finally(() => this.#beingAsked.delete(asked.id));
      if (answer) return answer;
    }
    const question = this.#store.get(asked.id);
    if (!question || question.run !== run) return { state: "unknown" };
    if (!isAnswered(question)) {
      const decided = this.#onDecided.get(question.id) ?? Promise.withResolvers<void>();
      this.#onDecided.set(question.id, decided);
      await Promise.race([decided.promise, delay(pollMs, undefined, { ref: false })]);
    }
    const now = this.#store.get(question.id) ?? question;
    const { decision: state = "open", by = "", reason } = now;
    return isAnswered(now) ? { state, by, ...(reason !== undefined && { reason }) } : { state: "open" };
  }

  /** Null: it is kept, and waits. */
  async #takeQuestion(run: string, asked: CallQuestion): Promise<QuestionAnswer | null> {
    if (this.#store.open.length >= mostOpen) return { state: "deny", by: "too many open questions" };
    const agent = this.#deps.directory.ofRun(run);
    const { known_only: isCutOff = false, ...said } = asked;
    const question: KeptQuestion = { ...said, run, ...this.#times(agent, asked.wait_seconds) };
    // One that was told and not kept was put to nobody, and its call wasn't made.
    const told = await tellQuestion(this.#deps, question, isCutOff);
    if (told === null) {
      await delay(questionWatchMs);
      return { state: "open" };
    }
    if (!told.ok) return { state: isCutOff ? "unknown" : "over" };
    failpoint("question-told");
    const channel = agent && this.#channelOf(agent);
    const kept = { ...question, args: told.args, ...(agent && { agent: agent.id }), ...(channel && { channel }) };
    await this.#store.keep(kept);
    failpoint("question-kept");
    await this.#put(kept.id);
    return null;
  }

  /**
   * Asks whether an agent may write somewhere. It hears later what was decided.
   * @param key names the call that asks: made again, it is the same question
   * @returns the question's id; null: there is nobody to ask
   */
  async askToWrite(agent: AgentRecord, key: string, path: string, why: string): Promise<string | null> {
    const name = JSON.stringify([agent.id, key]);
    const id = createHash("sha256").update(name).digest("hex").slice(0, 32);
    if (!this.#store.get(id)) {
      const channel = this.#channelOf(agent);
      const run = agent.state.turn?.run_id;
      if (!channel || run === undefined || this.#store.open.length >= mostOpen) return null;
      const asked = { id, tool: "request_permission", args: { path }, why, rules: [], write_path: path };
      await this.#store.keep({ ...asked, run, ...this.#times(agent), agent: agent.id, channel });
      failpoint("permission-kept");
    }
    await this.#put(id);
    return id;
  }

  #times(agent: AgentRecord | undefined, seconds?: number): Pick<KeptQuestion, "ts" | "expires"> {
    const ts = Date.now();
    const waiting = seconds ?? waitingSeconds(this.#deps.settings(), agent !== undefined);
    return { ts, expires: Math.ceil(ts + waiting * 1000) };
  }

  /** Where the user of an agent is asked: where they speak to it, else where they were last. */
  #channelOf({ descriptor, state }: AgentRecord): Channel | undefined {
    const { directory, settings } = this.#deps;
    const own = descriptor.kind === "main" ? (state.turn?.channel ?? state.last_channel) : undefined;
    const channel = own ?? directory.foreground?.state.last_channel;
    return channel && channelTypes(settings().channels).includes(channel.type) ? channel : undefined;
  }

  /** Asks the user of an agent, and says so to the agent that speaks to them. Of a run of nobody's nobody is asked. */
  async #put(id: string): Promise<void> {
    const { directory, settings, messages, publishEvent } = this.#deps;
    const question = this.#store.get(id);
    if (question?.agent === undefined || question.is_put || !isOpen(question)) return;
    const { run, agent, channel, rules, tool, write_path: path } = question;
    if (channel && channelTypes(settings().channels).includes(channel.type)) {
      const text = questionText(directory.get(agent)?.descriptor, question);
      const permission = { token: id, text, always: rules.length > 0 };
      const whole = `${text}\n${answerHint(question)}`;
      await messages.sendReply({
        id: `permission-${id}`,
        text: whole,
        channel,
        metadata: { permission },
        agent_id: agent,
        run_id: run,
      });
    }
    if (path !== undefined) await tellAsked(directory, question);
    await this.#store.change(id, () => ({ is_put: true }));
    publishEvent(agent, "permission_requested", { token: id, run_id: run, tool, ...(path !== undefined && { path }) });
  }

  /**
   * Answers a question. False: it was answered before.
   * @param how `request` names what asks: again by the same, it is the same answer
   * @throws DecisionError when there is none, or `always` can't be kept
   */
  async decide(
    id: string,
    decision: "allow" | "deny",
    by: string,
    { always = false, reason, request }: DecisionExtras = {},
  ): Promise<boolean> {
    if (!(await this.find(id))) throw new DecisionError(`there is no question "${id}": see cortex permissions list`);
    const decided = await this.#store.change(id, async (question) => {
      if (!isOpen(question)) return null;
      if (always) await this.#keepRules(question, decision);
      failpoint("rule-kept");
      return {
        decision,
        by,
        decided: Date.now(),
        is_told: false,
        ...(always && { always }),
        ...(reason && { reason }),
        ...(request !== undefined && { request }),
      };
    });
    failpoint("decision-kept");
    if (decided) await this.#tellDecision(decided);
    return decided !== null || (request !== undefined && this.#store.get(id)?.request === request);
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

  /** Tells of a question, or of its answer: with that in its run's file a call goes on. Tried again until it is told. */
  async #tellDecision(question: KeptQuestion): Promise<void> {
    const { directory } = this.#deps;
    const { id, run, agent, decision, write_path: path } = question;
    if (path !== undefined) await tellDecided(directory, question);
    else if ((await tellRun(this.#deps, question)) === null) return;
    const told = await this.#store.change(id, (now) => (now.decision === decision ? { is_told: true } : null));
    if (!told || decision === undefined) return;
    this.#onDecided.get(id)?.resolve();
    this.#onDecided.delete(id);
    if (agent !== undefined) this.#deps.publishEvent(agent, "permission_decided", { token: id, run_id: run, decision });
  }
}

/** Whether its call goes on: the answer stands in the run's file. */
const isAnswered = ({ decision, is_told = false }: KeptQuestion) => decision !== undefined && is_told;
