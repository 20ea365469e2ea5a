/** A workspace as one looks at it: its people and agents, and the stream of what happens there. */
import { batch, signal } from "@preact/signals";
import type { events } from "../../../web/client/api-types.ts";
import { answered, type ApiRecord, client } from "../../api/client.ts";
import { EventStream, type StreamEvent, type StreamState } from "../../live/event-stream.ts";

export type Workspace = ApiRecord<"Workspace">;
export type Member = ApiRecord<"Member">;
export type Agent = Omit<ApiRecord<"Agent">, "system_prompt">;

type Handler = (data: never) => void;

/** The most that a list gives at once. */
export const mostItems = 200;

export class TeamStore {
  readonly id: string;
  /** Null: not read yet. */
  readonly members = signal<readonly Member[] | null>(null);
  readonly agents = signal<readonly Agent[]>([]);
  readonly problem = signal<unknown>(null);
  /** The stream broke: what is shown is of before. */
  readonly isCutOff = signal(false);

  readonly #handlers = new Map<string, Set<Handler>>();
  readonly #resets = new Set<() => void>();
  readonly #breaks = new Set<() => void>();
  #stream: EventStream | null = null;
  #heard: () => void = () => {};
  /** Resolves when events are heard: a list that is read then has all that no event will tell. */
  readonly listening = new Promise<void>((resolve) => {
    this.#heard = resolve;
  });

  constructor(id: string) {
    this.id = id;
  }

  open(): void {
    this.#stream = new EventStream({
      path: `/api/v1/workspaces/${encodeURIComponent(this.id)}/events`,
      onEvents: (heard) => this.#deliver(heard),
      onState: (state) => this.#takeStreamState(state),
      onGap: () => this.#reset(),
    });
    this.on("agent.updated", ({ agent }) => {
      const others = this.agents.value.filter(({ id }) => id !== agent.id);
      this.agents.value = [...others, agent].toSorted((one, other) => (one.slug < other.slug ? -1 : 1));
    });
    this.on("agent.removed", ({ agent }) => {
      this.agents.value = this.agents.value.filter(({ id }) => id !== agent.id);
    });
    this.onReset(() => void this.read());
    void this.listening.then(() => this.read());
  }

  close(): void {
    this.#stream?.[Symbol.dispose]();
  }

  /** Calls back for each event of a kind, until the returned function is called. */
  on<Name extends keyof events>(name: Name, handler: (data: events[Name]) => void): () => void {
    const known = this.#handlers.get(name) ?? new Set<Handler>();
    this.#handlers.set(name, known);
    known.add(handler as Handler);
    return () => void known.delete(handler as Handler);
  }

  /** Calls back when events are missing: lists are to be read again. */
  onReset(handler: () => void): () => void {
    this.#resets.add(handler);
    return () => void this.#resets.delete(handler);
  }

  /** Calls back when the connection broke: pieces that come meanwhile are missing. */
  onBreak(handler: () => void): () => void {
    this.#breaks.add(handler);
    return () => void this.#breaks.delete(handler);
  }

  async read(): Promise<void> {
    const params = { path: { w: this.id }, query: { limit: mostItems } };
    try {
      const [members, agents] = await Promise.all([
        answered(client.GET("/api/v1/workspaces/{w}/members", { params })),
        answered(client.GET("/api/v1/workspaces/{w}/agents", { params })),
      ]);
      batch(() => {
        this.members.value = members.items;
        this.agents.value = agents.items;
        this.problem.value = null;
      });
    } catch (error) {
      this.problem.value = error;
    }
  }

  #deliver(heard: readonly StreamEvent[]): void {
    batch(() => {
      for (const { event, data } of heard) {
        if (event === "events.dropped") this.#reset();
        for (const handler of this.#handlers.get(event) ?? []) handler(data as never);
      }
    });
  }

  #takeStreamState(state: StreamState): void {
    if (state.kind !== "connecting") this.#heard();
    if (state.kind === "cut off" && !this.isCutOff.value) for (const handler of this.#breaks) handler();
    this.isCutOff.value = state.kind === "cut off" || state.kind === "refused";
  }

  #reset(): void {
    for (const handler of this.#resets) handler();
  }
}
