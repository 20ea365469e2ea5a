/** The facts of a run's file that is taken up: as much as is needed to go on, however long the file is. */
import { saidBefore } from "../../conversation/said-before.ts";
import { type FilePart, filePartsIn } from "../../protocol/files/attachment.ts";
import { type AgentEvent, type EventBody, isTerminal } from "../../protocol/runs/event.ts";
import { InputIds } from "../model/input-ids.ts";
import type { Message } from "../../protocol/runs/run-config.ts";
import { addedSpent, nothingSpent } from "../../protocol/runs/spent.ts";
import { Tally } from "./budget.ts";
import type { SpentAt } from "./usage-store.ts";
import { Waits } from "./waits.ts";

/** Days begin at a quarter of an hour in all time zones: what was used is kept by quarters. */
const quarterMs = 900_000;
/** More than cortex itself writes: an agent's own, beyond these, are forgotten. */
const mostKept = 1000;
const longestMessage = 2000;
const longestModel = 200;

export class RunSoFar {
  readonly tally = new Tally();
  /** The usage, by the beginning of the quarter of an hour, in ms, and the model. */
  readonly #used = new Map<string, SpentAt & { model: string }>();
  /** Which calls the gateway has told of. */
  readonly meteredCalls = new Set<string>();
  /** The names of the events behind the terminal event. */
  readonly after = new Set<string>();
  readonly waits = new Waits();
  readonly inputs = new InputIds();
  terminal: AgentEvent | null = null;
  /** The files of the request, as its line has them. */
  parts: FilePart[] = [];
  /** The conversation of the request, as its line has it. */
  conversation: readonly Message[] = [];
  /** How many events there are, and how many of them are a `start`. */
  events = 0;
  starts = 0;
  /** The time of the last event, in ms. */
  last: number | null = null;
  /** The model of usage that names none. */
  #model = "";
  readonly #attempts = new Set<unknown>();
  readonly #messages = new Set<string>();

  /** Takes the next event of the file. */
  add(event: AgentEvent): void {
    this.events++;
    this.waits.add(event);
    this.inputs.add(event);
    this.last = event.ts;
    if (this.terminal) this.after.add(event.event);
    else if (isTerminal(event)) this.terminal = event;
    if (event.event === "request" && this.events === 1) {
      this.parts = filePartsIn(event["parts"]);
      this.conversation = saidBefore(event);
    }
    if (event.event === "start") this.#start(event);
    if (event.event === "start" || event.event === "request") this.#model = modelOf(event) ?? this.#model;
    if (event.event === "info") this.#noteMessage(event["message"]);
    const spent = this.tally.count(event);
    if (!spent) return;
    if (event.event === "usage" && typeof event["call"] === "string") this.meteredCalls.add(event["call"]);
    const ts = event.ts - (event.ts % quarterMs);
    const own = modelOf(event) ?? this.#model;
    const model = this.#used.size < mostKept || this.#used.has(`${ts} ${own}`) ? own : "";
    const before = this.#used.get(`${ts} ${model}`)?.spent ?? nothingSpent;
    this.#used.set(`${ts} ${model}`, { ts, model, spent: addedSpent(before, spent) });
  }

  get used(): SpentAt[] {
    return [...this.#used.values()];
  }

  /** The models that it has used. */
  get models(): Set<string> {
    return new Set(Array.from(this.#used.values(), ({ model }) => model).filter((model) => model !== ""));
  }

  /** Whether an attempt has its `start`. */
  hasStarted(attempt: number): boolean {
    return this.#attempts.has(attempt);
  }

  /** Whether a note stands in the file already. */
  hasNote(message: string): boolean {
    return this.#messages.has(message);
  }

  #start({ attempt }: AgentEvent): void {
    this.starts++;
    if (this.#attempts.size < mostKept) this.#attempts.add(attempt);
  }

  #noteMessage(message: unknown): void {
    if (typeof message === "string" && message.length <= longestMessage && this.#messages.size < mostKept)
      this.#messages.add(message);
  }
}

/** The model that an event names, as far as it may be one. */
export function modelOf({ model }: EventBody): string | undefined {
  return typeof model === "string" && model !== "" ? model.slice(0, longestModel) : undefined;
}
