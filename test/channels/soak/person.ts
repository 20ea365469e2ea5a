/** Somebody who writes to the agents by a channel, waits for the answers, and writes again. */
import { setTimeout as delay } from "node:timers/promises";
import type { HistoryRecord } from "../../../protocol/agents/agent-files.ts";
import { allRecordsOf } from "../../agents/all-records.ts";
import type { Person, PlayedService } from "../table/played-service.ts";
import { answeredIn, wordOf } from "./mind.ts";

/** The end of a message. `told`: it isn't known whether the answer arrived, and the agent was told so. */
export type Outcome = { word: string; ms: number; heard: number; answered: number; told: boolean };

export type Pace = {
  /** A number below an end. */
  roll: (below: number) => number;
  /** When the so many-th message may be written, in ms of `performance.now()`. */
  due: (count: number) => number;
  /** How long an answer is waited for, in ms; without it the message is lost. */
  giveUpMs: number;
};

/** So many messages at most are written before the answers are waited for. */
const burst = 3;
/** One in so many messages is handed over twice by its service. */
const repeatOneIn = 15;
const lookEveryMs = 250;
/** Every so many looks, the agent's history is read, too: whether it was told what became of its answer. */
const looksPerHistory = 16;

export class SoakPerson {
  readonly type: string;
  readonly outcomes: Outcome[] = [];
  readonly #number: number;
  readonly #service: PlayedService;
  readonly #who: Person;
  /** How often each answer has come, and how many texts were read. */
  readonly #answered = new Map<string, number>();
  #read = 0;
  #journal = "";
  /** The agent whose history has its messages; "" as long as that isn't known. */
  agent = "";

  constructor(number: number, service: PlayedService, who: Person) {
    this.#number = number;
    this.#service = service;
    this.#who = who;
    this.type = service.type;
  }

  /** The room as the agents know it. */
  get channel(): { type: string } & Person {
    return { type: this.type, ...this.#who };
  }

  /** Learns in which agent's history its messages stand. */
  isHeardBy(journal: string, agent: string): void {
    this.#journal = journal;
    this.agent = agent;
  }

  /** Writes so many messages more, and waits until each is answered, or its agent was told that it isn't known. */
  async write(count: number, { roll, due, giveUpMs }: Pace): Promise<void> {
    for (let left = count; left > 0; ) {
      const many = Math.min(left, 1 + roll(burst));
      await delay(Math.max(0, due(count - left) - performance.now()));
      const written = Array.from({ length: many }, () => this.#writeOne(roll(repeatOneIn) === 0));
      left -= many;
      for (const [outcome, began] of written) {
        const isOver = () => performance.now() - began > giveUpMs;
        for (let looks = 1; !this.#isSettled(outcome, looks) && !isOver(); looks++) await delay(lookEveryMs);
        outcome.ms = performance.now() - began;
      }
    }
  }

  /** Looks at all of its messages once more: what came late, and what was heard. */
  settle(): void {
    this.#readAnswers();
    const records = this.#records();
    for (const outcome of this.outcomes) {
      const { word } = outcome;
      outcome.answered = this.#answered.get(word) ?? 0;
      outcome.heard = records.filter((one) => one.type === "user" && saysWord(one.text, word)).length;
      outcome.told = wasTold(records, word);
    }
  }

  #writeOne(isRepeated: boolean): [Outcome, number] {
    const word = wordOf(this.#number, this.outcomes.length);
    const outcome = { word, ms: 0, heard: 0, answered: 0, told: false };
    this.outcomes.push(outcome);
    const writing = Promise.resolve(this.#service.write(this.#who, word));
    if (isRepeated) void writing.then((written) => this.#service.repeat(written));
    return [outcome, performance.now()];
  }

  #isSettled({ word }: Outcome, looks: number): boolean {
    this.#readAnswers();
    if (this.#answered.has(word)) return true;
    return looks % looksPerHistory === 0 && wasTold(this.#records(), word);
  }

  #readAnswers(): void {
    const texts = this.#service.texts(this.#who);
    for (const word of texts.slice(this.#read).flatMap(answeredIn))
      this.#answered.set(word, (this.#answered.get(word) ?? 0) + 1);
    this.#read = texts.length;
  }

  #records(): HistoryRecord[] {
    return this.agent === "" ? [] : allRecordsOf(this.#journal, this.agent);
  }
}

const saysWord = (text: string, word: string) => text.split("\n").some((line) => line.trim() === word);

/** Whether an agent was told that nobody knows whether its answer arrived: as a message, or as what became of its call. */
function wasTold(records: readonly HistoryRecord[], word: string): boolean {
  const ofWord = (one: unknown) => answeredIn(JSON.stringify(one)).includes(word);
  const calls = new Set(records.flatMap((one) => (one.type === "tool_call" && ofWord(one) ? [one.call_id] : [])));
  return records.some(
    (one) =>
      (one.type === "system" && one.text.includes("Nobody knows whether") && ofWord(one)) ||
      (one.type === "tool_result" && calls.has(one.call_id) && /unknown|may have/i.test(JSON.stringify(one))),
  );
}
