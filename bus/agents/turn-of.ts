/** The turn of a long-lived agent that hears a message: its run, and how it ended; or that there will never be one. */
import { AgentNews } from "../../protocol/agents/agent-event.ts";
import type { MessagePlace, Unheard } from "../../protocol/agents/message-place.ts";
import { ErrorReason } from "../../protocol/events/error-reason.ts";
import { tryParseJson } from "../../protocol/json/parse-json.ts";
import { subjects } from "../../protocol/runs/subjects.ts";
import type { Bus } from "../connection/connect.ts";

/** Milliseconds between looks at the agent's files: its events are kept nowhere, and may get lost. */
const lookMs = 1000;

type Agent = {
  bus: Bus;
  agent: string;
  /** Says what became of a message, as the agent's files have it. */
  placeOf: (item: string) => MessagePlace;
};

/** The begin of a turn by its run, or why none hears the message. */
export type TurnBegin = { run: string } | { unheard: Unheard };

/** The failure of a turn. */
export type TurnFailure = { error: string; reason: ErrorReason | undefined };

export class TurnOf implements Disposable {
  /** Resolves when the turn has begun, or it is known that none will: the message was taken back, or put away. */
  readonly begun: Promise<TurnBegin>;
  /** How it ended; null: well. */
  readonly ended: Promise<TurnFailure | null>;
  readonly #sources = new DisposableStack();
  #begin: (begin: TurnBegin) => void = () => {};
  #end: (failure: TurnFailure | null) => void = () => {};

  /** To be made before the message is said, so that nothing of its turn is missed. */
  constructor(agent: Agent, item: string) {
    this.begun = new Promise((resolve) => (this.#begin = resolve));
    this.ended = new Promise((resolve) => (this.#end = resolve));
    const subscription = agent.bus.connection.subscribe(subjects.agentEvent(agent.agent, "*"), {
      callback: (_, message) => this.#hear(AgentNews.safeParse(tryParseJson(message.string())).data, agent, item),
    });
    this.#sources.defer(() => subscription.unsubscribe());
    this.#sources.use(setInterval(() => this.#look(agent, item), lookMs).unref());
  }

  [Symbol.dispose](): void {
    this.#sources[Symbol.dispose]();
  }

  #hear(news: AgentNews | undefined, agent: Agent, item: string): void {
    if (news?.event === "taken_back" && news["item"] === item) return this.#begin({ unheard: "taken_back" });
    // What waited is dropped by then.
    if (news?.event === "reset") return this.#look(agent, item);
    const items = news?.["items"];
    if (!news || !Array.isArray(items) || !items.includes(item) || news.run_id === undefined) return;
    this.#begin({ run: news.run_id });
    if (news.event !== "turn_ended") return;
    const { error, reason } = news;
    this.#end(news["ok"] === false ? { error: String(error), reason: ErrorReason.safeParse(reason).data } : null);
  }

  #look({ placeOf }: Agent, item: string): void {
    const place = placeOf(item);
    if (place.is === "unheard") this.#begin({ unheard: place.why });
    if (place.is !== "heard") return;
    this.#begin({ run: place.run });
    if (place.isOver) this.#end(null);
  }
}
