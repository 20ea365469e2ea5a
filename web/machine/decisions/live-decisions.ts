/**
 * The decisions that wait for the owner: questions of runs, of long-lived agents and their tasks, and of the
 * workspaces' agents. All of them are kept in one folder by the agents' service; the bus only says when to look there.
 */
import { setTimeout as delay } from "node:timers/promises";
import { callCommand, NoAgentsError } from "../../../bus/agents/agent-calls.ts";
import { messageOf } from "../../../files/errors/error-message.ts";
import { SerialQueue } from "../../../files/locks/serial-queue.ts";
import { owningAgents } from "../../../journal/agents/owning-agent.ts";
import { readQuestion } from "../../../journal/permissions/questions.ts";
import type { KeptQuestion } from "../../../protocol/permissions/call-question.ts";
import { tryParseJson } from "../../../protocol/json/parse-json.ts";
import { subjects } from "../../../protocol/runs/subjects.ts";
import type { WorkspaceStore } from "../../../workspace/database/changes/store.ts";
import { approvalsOfQuestions } from "../../../workspace/approvals/approvals-of-questions.ts";
import { WorkspaceError } from "../../../workspace/records/workspace-error.ts";
import { busOf, type MachineBase, UnavailableError } from "../base/machine-base.ts";
import type { Decision, DecisionMade } from "../records/decision-records.ts";
import type { LiveRuns } from "../runs/live-runs.ts";
import { decisionOf } from "./decision-of.ts";
import { QuestionChanges } from "./question-changes.ts";

export type DecisionListener = (decision: Decision) => void;

/** Milliseconds after which the files are looked at again while somebody listens. */
const lookEveryMs = 1000;
/** A run says that it asks a moment before the question is kept: looked for so often, so far apart. */
const [looks, lookAgainMs] = [20, 50];

type Deps = MachineBase & { runs: LiveRuns };

export type DecidedBy = { request: string | null; store: WorkspaceStore };

export class LiveDecisions implements Disposable {
  readonly #deps: Deps;
  readonly #changes: QuestionChanges;
  readonly #listeners = new Set<DecisionListener>();
  readonly #telling = new SerialQueue();
  #watching: (() => void) | null = null;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#changes = new QuestionChanges(deps.journal);
  }

  [Symbol.dispose](): void {
    this.#listeners.clear();
    this.#stopWatching();
  }

  /** Lists the questions that nobody has decided, oldest first. */
  async list(): Promise<Decision[]> {
    this.#tellChanges();
    return (await this.#decisionsOf(this.#changes.open)).filter(({ status }) => status === "open");
  }

  /** Hears of each question that comes, and of each that is decided, from now on. */
  listen(listener: DecisionListener): Disposable {
    // What is there by now is told by `list`.
    this.#tellChanges();
    this.#listeners.add(listener);
    this.#watching ??= this.#watch();
    return {
      [Symbol.dispose]: () => {
        this.#listeners.delete(listener);
        if (this.#listeners.size === 0) this.#stopWatching();
      },
    };
  }

  /**
   * Decides. The first decision counts.
   * @param by `request` names what asks for it: again by the same, it is the same decision; `store` within its transaction
   * @throws WorkspaceError `not_found`, `conflict` with who was first; UnavailableError when nobody is there to take it
   */
  async decide(id: string, { decision, reason }: DecisionMade, { request, store }: DecidedBy): Promise<Decision> {
    const question = readQuestion(this.#deps.journal, id);
    if (!question) throw new WorkspaceError("not_found", "there is no such question", "what waits: cortex permissions");
    const known = await this.#decisionOf(question, store);
    const isAgain = request !== null && question.request === request;
    if (known.status !== "open" && !isAgain) throw decidedBefore(known);
    const always = decision === "always";
    if (always && question.rules.length === 0)
      throw new WorkspaceError("invalid", "decision: no rule can say this", "allow it once");
    const answer = await this.#ask({
      id,
      decision: decision === "deny" ? "deny" : "allow",
      always,
      from: "web",
      ...(reason && { reason }),
      ...(request !== null && { request }),
    });
    const now = await this.#decisionOf(readQuestion(this.#deps.journal, id) ?? question, store);
    if (answer.ok) return now;
    throw now.status === "open" ? new WorkspaceError("conflict", answer.error) : decidedBefore(now);
  }

  async #ask(args: Record<string, unknown>) {
    try {
      return await callCommand(busOf(this.#deps), { command: "permissions decide", args });
    } catch (error) {
      if (error instanceof NoAgentsError) throw new UnavailableError(error.message);
      throw error;
    }
  }

  #watch(): () => void {
    const { connection } = this.#deps.bus;
    const named = (event: string) => [subjects.event("*", event), subjects.agentEvent("*", event)];
    const subscriptions = ["permission", "permission_requested", "permission_decided"].flatMap(named).map((subject) =>
      connection.subscribe(subject, {
        callback: (error, message) => {
          if (!error) void this.#lookFor(idOf(message.string()));
        },
      }),
    );
    const looking = setInterval(() => this.#tellChanges(), lookEveryMs).unref();
    return () => {
      for (const subscription of subscriptions) subscription.unsubscribe();
      clearInterval(looking);
    };
  }

  #stopWatching(): void {
    this.#watching?.();
    this.#watching = null;
  }

  async #lookFor(id: string | null): Promise<void> {
    this.#tellChanges();
    for (let look = 0; look < looks && id !== null && this.#watching && !this.#changes.has(id); look++) {
      await delay(lookAgainMs, undefined, { ref: false });
      this.#tellChanges();
    }
  }

  /** Tells what has changed, in order. */
  #tellChanges(): void {
    const changed = this.#changes.readChanges();
    if (changed.length === 0 || this.#listeners.size === 0) return;
    void this.#telling
      .run(async () => {
        for (const decision of await this.#decisionsOf(changed))
          for (const listener of this.#listeners) listener(decision);
      })
      .catch((error: unknown) => this.#deps.log.warn({ error: messageOf(error) }, "a question can't be told"));
  }

  async #decisionOf(question: KeptQuestion, store: WorkspaceStore): Promise<Decision> {
    const [decision] = await this.#decisionsOf([question], store);
    if (!decision) throw new Error(`question ${question.id} is not a decision`);
    return decision;
  }

  async #decisionsOf(questions: readonly KeptQuestion[], store = this.#deps.store): Promise<Decision[]> {
    const { runs, journal } = this.#deps;
    const ids = questions.map(({ id }) => id);
    const approvals = store ? await approvalsOfQuestions(store, ids) : null;
    const owners = owningAgents(journal);
    const runsAsking = [...new Set(questions.map(({ run }) => run))];
    const rows = new Map(await Promise.all(runsAsking.map(async (run) => [run, await runs.get(run)] as const)));
    return questions.map((question) => {
      const row = rows.get(question.run);
      const asking = question.agent ?? row?.agent;
      const agent = asking == null ? null : owners(asking);
      return decisionOf(question, {
        persona: row?.persona ?? null,
        agent: agent?.id ?? null,
        agentName: agent?.name ?? null,
        approval: approvals?.get(question.id),
      });
    });
  }
}

function decidedBefore({ status, decided_by }: Decision): WorkspaceError {
  const by = decided_by === null ? "" : ` by ${decided_by}`;
  return new WorkspaceError("conflict", `this was decided before: ${status}${by}`);
}

/** The question that an event is about. */
function idOf(text: string): string | null {
  const { id, token } = (tryParseJson(text) ?? {}) as Record<string, unknown>;
  return typeof id === "string" ? id : typeof token === "string" ? token : null;
}
