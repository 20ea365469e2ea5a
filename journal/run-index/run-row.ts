/** A run as a row of a list, put together from its events, one by one. Pure. */
import { ErrorReason } from "../../protocol/events/error-reason.ts";
import { AgentId } from "../../protocol/names/names.ts";
import { type AgentEvent, isTerminal } from "../../protocol/runs/event.ts";
import { addedSpent, isCostKnown, nothingSpent, spentBy } from "../../protocol/runs/spent.ts";

export type RunRow = {
  id: string;
  state: "queued" | "running" | "waiting" | "finished" | "failed" | "cancelled" | "orphaned";
  reason: ErrorReason | null;
  error: string | null;
  persona: string;
  agent: string | null;
  /** The name of that agent. Its file tells it, not the run's: filled in by whoever shows rows. */
  agent_name: string | null;
  conversation: string | null;
  schedule: string | null;
  facet: string | null;
  backend: string | null;
  model: string | null;
  prompt: string;
  doing: { kind: "model" | "tool" | "waiting"; tool?: string; argument?: string; since: string } | null;
  last_text: string | null;
  cost_usd: number | null;
  cost_is_estimate: boolean;
  input_tokens: number;
  output_tokens: number;
  attempt: number;
  requested_at: string;
  started_at: string | null;
  ended_at: string | null;
  continue_from: string | null;
  handed_from: string | null;
  again_of: string | null;
  saved_as: string | null;
  damaged: string | null;
};

/** Characters that are shown of a text, and of a call's argument. */
const [shown, shownArgument] = [300, 200];

/** The beginning of a text, as rows have it. */
export function shortText(text: string): string {
  return whole(text.slice(0, shown));
}

/** A run of which nothing is known but its id. */
export const emptyRow = (id: string): RunRow => ({
  id,
  state: "queued",
  reason: null,
  error: null,
  persona: "default",
  agent: null,
  agent_name: null,
  conversation: null,
  schedule: null,
  facet: null,
  backend: null,
  model: null,
  prompt: "",
  doing: null,
  last_text: null,
  cost_usd: null,
  cost_is_estimate: false,
  input_tokens: 0,
  output_tokens: 0,
  attempt: 0,
  requested_at: timeOf(Number(id)),
  started_at: null,
  ended_at: null,
  continue_from: null,
  handed_from: null,
  again_of: null,
  saved_as: null,
  damaged: null,
});

type Call = { id: unknown; tool: string; argument?: string; since: string };

/** The row of a run, event by event. */
export class RunRowSum {
  #row: RunRow;
  #spent = nothingSpent;
  /** Calls that have begun and not ended. */
  readonly #calls = new Map<unknown, Call>();
  /** Questions that nobody has answered, each with its tool. */
  readonly #questions = new Map<unknown, { tool?: string; since: string }>();
  #since: string;
  /** The prompt and the result, for the search. */
  readonly words = { prompt: "", result: "" };

  constructor(id: string) {
    this.#row = emptyRow(id);
    this.#since = this.#row.requested_at;
  }

  /** Takes the next event. */
  add(event: AgentEvent): void {
    const spent = spentBy(event, this.#spent);
    if (spent) this.#spent = addedSpent(this.#spent, spent);
    this.#takers[event.event]?.(event, this.#row);
    if (isTerminal(event)) this.#end(event);
    if (!eventsAside.has(event.event)) this.#since = timeOf(event.ts);
  }

  /** As far as its events tell: whether anybody is at work on it, they don't. */
  get row(): RunRow {
    const { calls, cost_usd, input_tokens, output_tokens } = this.#spent;
    const isKnown = isCostKnown(this.#spent);
    return {
      ...this.#row,
      state: this.#state,
      doing: this.#row.ended_at === null && this.#row.attempt > 0 ? this.#doing : null,
      cost_usd: calls === 0 || (cost_usd === 0 && !isKnown) ? null : rounded(cost_usd),
      cost_is_estimate: !isKnown,
      input_tokens,
      output_tokens,
    };
  }

  get #state(): RunRow["state"] {
    const { ended_at, reason, error, attempt } = this.#row;
    if (ended_at !== null) return error === null ? "finished" : reason === "cancelled" ? "cancelled" : "failed";
    if (this.#questions.size > 0) return "waiting";
    return attempt > 0 ? "running" : "queued";
  }

  get #doing(): RunRow["doing"] {
    const [question] = this.#questions.values();
    if (question) return { kind: "waiting", ...question };
    const call = [...this.#calls.values()].at(-1);
    if (!call) return { kind: "model", since: this.#since };
    const { tool, argument, since } = call;
    return { kind: "tool", tool, ...(argument !== undefined && { argument }), since };
  }

  readonly #takers: Record<string, (event: AgentEvent, row: RunRow) => void> = {
    request: (event, row) => {
      const { persona, backend, model, prompt, agent, schedule, facet } = event;
      const { continue_from, handoff_from, again_of } = event;
      row.persona = textOf(persona) ?? row.persona;
      [row.backend, row.model] = [textOf(backend), textOf(model)];
      [row.agent, row.schedule, row.facet] = [textOf(agent), textOf(schedule), textOf(facet)];
      [row.continue_from, row.handed_from] = [idOf(continue_from), idOf(handoff_from)];
      row.again_of = idOf(again_of);
      row.prompt = shortText(textOf(prompt) ?? "");
      this.words.prompt = textOf(prompt) ?? "";
    },
    start: (event, row) => {
      const { persona, backend, model, attempt } = event;
      row.persona = textOf(persona) ?? row.persona;
      [row.backend, row.model] = [textOf(backend) ?? row.backend, textOf(model) ?? row.model];
      row.attempt = typeof attempt === "number" && Number.isSafeInteger(attempt) ? attempt : row.attempt + 1;
      row.started_at ??= timeOf(event.ts);
      // What an earlier attempt was at is over.
      this.#calls.clear();
    },
    text: ({ text }, row) => {
      row.last_text = shortText(textOf(text) ?? "") || row.last_text;
    },
    tool_start: ({ call_id: id, tool, args, ts }) => {
      const argument = argumentOf(args);
      const call = {
        id,
        tool: shortText(String(tool)),
        since: timeOf(ts),
        ...(argument !== undefined && { argument }),
      };
      this.#calls.set(id, call);
    },
    tool_end: ({ call_id: id }) => void this.#calls.delete(id),
    permission: ({ id, tool, ts }) =>
      void this.#questions.set(id, { ...(typeof tool === "string" && { tool: shortText(tool) }), since: timeOf(ts) }),
    permission_decided: ({ id }) => void this.#questions.delete(id),
    clocks_stopped: ({ id, ts }) => void this.#questions.set(id, { since: timeOf(ts) }),
    clocks_resumed: ({ id }) => void this.#questions.delete(id),
    saved: ({ path }, row) => {
      row.saved_as = textOf(path);
    },
  };

  #end(event: AgentEvent): void {
    const row = this.#row;
    row.ended_at = timeOf(event.ts);
    if (event.event === "finish") {
      this.words.result = textOf(event["result"]) ?? "";
      row.last_text = shortText(this.words.result) || row.last_text;
      [row.error, row.reason] = [null, null];
    } else {
      row.error = shortText(textOf(event["error"]) ?? "");
      row.reason = ErrorReason.safeParse(event["reason"]).data ?? null;
    }
  }
}

/** The events that don't tell that the model goes on. */
const eventsAside = new Set(["info", "usage", "input", "input_taken", "granted"]);

/** The text that says most of a call: its only argument, or the first. */
function argumentOf(args: unknown): string | undefined {
  if (typeof args !== "object" || args === null)
    return typeof args === "string" ? args.slice(0, shownArgument) : undefined;
  const [first] = Object.values(args);
  if (first === undefined) return undefined;
  return whole((typeof first === "string" ? first : JSON.stringify(first)).slice(0, shownArgument));
}

/** A cut never leaves half a character. */
function whole(text: string): string {
  return text.toWellFormed().replace(/\uFFFD$/u, "");
}
const rounded = (usd: number) => Math.round(usd * 1e9) / 1e9;
const textOf = (value: unknown) => (typeof value === "string" && value !== "" ? value.toWellFormed() : null);
const idOf = (value: unknown) => AgentId.safeParse(value).data ?? null;

/** An event's time may be anything that a number can be. */
function timeOf(ms: number): string {
  return new Date(Math.min(Math.max(ms, 0), mostMs)).toISOString();
}
/** The last moment of year 9999: beyond it ISO 8601 needs a sign. */
const mostMs = 253_402_300_799_999;
