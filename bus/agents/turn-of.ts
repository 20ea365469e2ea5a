/** The turn of a long-lived agent that hears a message: its run, and how it ended. */
import { AgentNews } from "../../protocol/agents/agent-event.ts";
import type { AgentTurn } from "../../protocol/agents/agent-files.ts";
import { ErrorReason } from "../../protocol/events/error-reason.ts";
import { tryParseJson } from "../../protocol/json/parse-json.ts";
import { subjects } from "../../protocol/runs/subjects.ts";
import type { Bus } from "../connection/connect.ts";

/** Milliseconds between looks at the agent's state: its events are kept nowhere, and may get lost. */
const lookMs = 1000;

type Agent = {
  bus: Bus;
  agent: string;
  /** The agent's turn as its files have it; null: there is none, or they can't be read now. */
  turnNow: () => Pick<AgentTurn, "run_id" | "items"> | null;
};

/** The failure of a turn. */
export type TurnFailure = { error: string; reason: ErrorReason | undefined };

export class TurnOf implements Disposable {
  /** The run, once the turn has begun. */
  readonly run: Promise<string>;
  /** How it ended; null: well. */
  readonly ended: Promise<TurnFailure | null>;
  readonly #sources = new DisposableStack();
  #begin: (run: string) => void = () => {};
  #end: (failure: TurnFailure | null) => void = () => {};
  #known: string | null = null;

  /** To be made before the message is said, so that nothing of its turn is missed. */
  constructor(agent: Agent, item: string) {
    this.run = new Promise((resolve) => (this.#begin = resolve));
    this.ended = new Promise((resolve) => (this.#end = resolve));
    const subscription = agent.bus.connection.subscribe(subjects.agentEvent(agent.agent, "*"), {
      callback: (_, message) => this.#hear(AgentNews.safeParse(tryParseJson(message.string())).data, item),
    });
    this.#sources.defer(() => subscription.unsubscribe());
    this.#sources.use(setInterval(() => this.#look(agent, item), lookMs).unref());
  }

  [Symbol.dispose](): void {
    this.#sources[Symbol.dispose]();
  }

  #hear(news: AgentNews | undefined, item: string): void {
    const items = news?.["items"];
    if (!news || !Array.isArray(items) || !items.includes(item) || news.run_id === undefined) return;
    this.#known = news.run_id;
    this.#begin(news.run_id);
    if (news.event !== "turn_ended") return;
    const { error, reason } = news;
    this.#end(news["ok"] === false ? { error: String(error), reason: ErrorReason.safeParse(reason).data } : null);
  }

  #look({ turnNow }: Agent, item: string): void {
    const turn = turnNow();
    if (turn?.items.includes(item)) {
      this.#known = turn.run_id;
      this.#begin(turn.run_id);
    } else if (this.#known !== null && turn?.run_id !== this.#known) this.#end(null);
  }
}
