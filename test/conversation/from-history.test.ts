/** A conversation that is rebuilt from an agent's history, beside the one from the files of its runs. */
import { expect, test } from "vitest";
import { fromChain, fromEvents } from "../../conversation/from-events.ts";
import { fromHistory } from "../../conversation/from-history.ts";
import { summaryIn, summaryMessage } from "../../conversation/summary/summary-message.ts";
import type { HistoryRecord } from "../../protocol/agents/agent-files.ts";
import type { FilePart } from "../../protocol/files/attachment.ts";
import type { AgentEvent, EventBody } from "../../protocol/runs/event.ts";
import type { Message } from "../../protocol/runs/run-config.ts";
import { RecordedHistory } from "./recorded-history.ts";

const archive = "2026-11-22-090807006-1.jsonl";
const image = (n: number): FilePart => ({
  type: "file",
  id: n.toString(16).padStart(64, "0"),
  name: `${n}.png`,
  mime: "image/png",
  size: 10 + n,
});

type Random = { below: (end: number) => number; chance: (part: number) => boolean };

/** The events of a run as the loop writes them, at random: attempts, kills, retries, answers cut off, inputs, a summary. */
class RandomRun {
  readonly events: AgentEvent[] = [];
  readonly #random: Random;
  readonly #id: string;
  #inputs = 0;
  #calls = 0;
  #words = 0;

  constructor(random: Random, id: string) {
    this.#random = random;
    this.#id = id;
    this.#emit({ event: "request", prompt: `prompt of ${id}`, backend: "anthropic", ...this.#files(0.2) });
    const attempts = 1 + (random.chance(0.3) ? random.below(3) : 0);
    for (let attempt = 1; attempt <= attempts; attempt++) {
      this.#inputs = 0;
      this.#emit({ event: "start", backend: "anthropic", model: "m-1", prompt: `prompt of ${id}` });
      this.#attempt(attempt === attempts);
    }
    // A run that was killed is ended by cortex.
    if (this.events.at(-1)?.event !== "finish") this.#emit({ event: "error", error: "killed", reason: "crash" });
  }

  #emit(event: EventBody): void {
    const seq = this.events.length + 1;
    this.events.push({ ...event, ts: Number(this.#id) + seq, agent_id: this.#id, seq });
  }

  #files(part: number): { parts?: FilePart[] } {
    return this.#random.chance(part) ? { parts: [image(this.#random.below(99))] } : {};
  }

  readonly #word = () => `word ${++this.#words} of ${this.#id}`;

  #input(part = 0.3): void {
    if (!this.#random.chance(part)) return;
    this.#inputs++;
    this.#emit({ event: "input", id: `in-${this.events.length}`, text: this.#word(), ...this.#files(0.2) });
  }

  #attempt(isLast: boolean): void {
    const { below, chance } = this.#random;
    for (let step = below(5); step >= 0; step--) {
      if (chance(0.1)) this.#compact();
      this.#input();
      if (this.#modelCall(step === 0 && isLast)) return;
    }
  }

  /** Returns whether the attempt is over. */
  #modelCall(isEnd: boolean): boolean {
    const { below, chance } = this.#random;
    if (chance(0.2)) {
      this.#piece();
      this.#input(0.3);
      this.#emit({ event: "retry", delay_ms: 1 });
    }
    const isKilled = chance(0.1);
    const hasPieces = chance(0.4);
    const reasons = chance(0.4);
    if (reasons && !hasPieces) this.#reason();
    if (hasPieces) {
      this.#piece();
      if (chance(0.4)) this.#piece();
      if (!reasons) this.#input(0.3);
      if (chance(0.3)) this.#piece();
      if (isKilled) return true;
      if (reasons) this.#reason();
    }
    const said = this.#word();
    if (hasPieces || chance(0.7)) this.#emit({ event: "text", text: said });
    if (isKilled) return true;
    this.#input(0.2);
    this.#emit({ event: "usage", input_tokens: 1, inputs: this.#inputs });
    if (isEnd && chance(0.7)) {
      this.#emit({ event: "finish", result: chance(0.5) ? said : this.#word() });
      return true;
    }
    const calls = Array.from({ length: 1 + below(3) }, () => `call-${this.#id}-${++this.#calls}`);
    for (const call_id of calls) this.#emit({ event: "tool_start", tool: "look", args: { n: this.#calls }, call_id });
    if (chance(0.05)) return true;
    this.#input(0.3);
    for (const call_id of calls.toSorted(() => below(3) - 1)) {
      const failed = chance(0.2) && { is_error: true };
      this.#emit({ event: "tool_end", tool: "look", call_id, result: this.#word(), ...failed, ...this.#files(0.2) });
    }
    return false;
  }

  #piece(): void {
    this.#emit({ event: "text", text: ` ${this.#word()}`, partial: true });
  }

  #reason(): void {
    const { chance } = this.#random;
    const opaque = chance(0.8) ? { opaque: { signed: this.#word() } } : {};
    if (chance(0.1)) this.#emit({ event: "web_search", query: "q", opaque: { pages: this.#word() } });
    this.#emit({ event: "thinking", summary: this.#word(), ...(chance(0.5) && { model: "m-2" }), ...opaque });
  }

  #compact(): void {
    const kept = fromEvents(this.events).slice(-1 - this.#random.below(3));
    const heard = this.#random.below(this.#inputs + 1);
    while (kept[0]?.role === "tool") kept.shift();
    this.#emit({ event: "compacted", summary: this.#word(), kept, inputs: heard, replaced: 1 });
  }
}

/** The records of runs, read from a file. */
function recordsOf(runs: readonly AgentEvent[][]): HistoryRecord[] {
  const history = new RecordedHistory(archive);
  for (const event of runs.flat()) history.add(event);
  return JSON.parse(JSON.stringify(history.records)) as HistoryRecord[];
}

/** From the newest summary on, which says where the rest stands. */
function chainOf(runs: readonly AgentEvent[][]): Message[] {
  const from = runs.findLastIndex((events) => events.some(({ event }) => event === "compacted"));
  const messages = fromChain(from < 0 ? runs : runs.slice(from));
  if (from < 0) return messages;
  const [first, ...rest] = messages as [Message, ...Message[]];
  return [summaryMessage(`${summaryIn(first)}\n\nAll of it: session_archive_read("${archive}")`), ...rest];
}

test("a conversation that is rebuilt from its history is the one of its runs' files, whatever was said", () => {
  const seen = { summaries: 0, unfinished: 0, attempts: 0, during: 0 };
  for (let seed = 1; seed <= 1500; seed++) {
    const random = seededRandom(seed);
    const runs = Array.from(
      { length: 1 + random.below(4) },
      (_, n) => new RandomRun(random, String(1_736_380_800_000 + n * 1000)).events,
    );
    const records = recordsOf(runs);
    seen.summaries += records.filter(({ type }) => type === "compact").length;
    seen.unfinished += records.filter((record) => record["partial"] === true).length;
    seen.attempts += records.filter((record) => record["attempt"] !== undefined).length;
    seen.during += records.filter((record) => record["partial"] === true && record["inputs"] !== undefined).length;
    expect([seed, fromHistory(records)]).toEqual([seed, chainOf(runs)]);
  }
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(50);
});

const told = (id: string, run_id: string, more: Record<string, unknown> = {}) =>
  ({ type: "user", ts: 1, id, run_id, text: `text of ${id}`, ...more }) as HistoryRecord;
const answered = (run_id: string): HistoryRecord => ({
  type: "assistant",
  ts: 1,
  id: `said by ${run_id}`,
  run_id,
  text: `answer of ${run_id}`,
});
const marker = (run_id: string, moved: string): HistoryRecord => ({
  type: "system",
  ts: 1,
  id: `moved-${run_id}-${moved}`,
  run_id,
  text: "it came too late",
  left_out: true,
  moved,
});

const late = [told("first", "1"), answered("1"), told("late", "1", { input: true })];

test("an input that came too late for its run is part of the prompt that asks it again, and of that alone", () => {
  const records = [...late, marker("2", "late"), told("next", "2"), answered("2")];
  expect(fromHistory(records)).toEqual([
    { role: "user", text: "text of first" },
    { role: "assistant", text: "answer of 1" },
    { role: "user", text: "text of late\n\ntext of next" },
    { role: "assistant", text: "answer of 2" },
  ]);
  expect(fromHistory(records.slice(0, 5), "2")).toEqual([
    { role: "user", text: "text of first" },
    { role: "assistant", text: "answer of 1" },
  ]);
});

test("where the run that asks it again gets another id, the later one has it", () => {
  const records = [...late, marker("2", "late"), marker("3", "late")];
  expect(fromHistory(records, "3")).toEqual(fromHistory(late.slice(0, 2)));
  expect(fromHistory([...records, answered("3")]).slice(2)).toEqual([
    { role: "user", text: "text of late" },
    { role: "assistant", text: "answer of 3" },
  ]);
});

/** The same numbers each time (mulberry32). */
function seededRandom(seed: number): Random {
  let state = seed;
  const below = (end: number) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % end;
  };
  return { below, chance: (part) => below(1000) < part * 1000 };
}
