/**
 * Limits on strangers: so many messages an hour and tokens a day, of each and of all together. Counted in a file, so that no
 * restart forgives them. One who has come to a limit is told so once, and is read again when its time is over.
 */
import { isStranger } from "../../journal/channels/known-people.ts";
import { readStrangers, type Stranger, type StrangersBook, writeStrangers } from "../../journal/channels/strangers.ts";
import type { StrangersSettings } from "../../protocol/agents/agents-settings.ts";
import { dayOf } from "../../protocol/names/day.ts";
import type { AgentRecord } from "../record/agent-record.ts";

const hourMs = 3_600_000;

/** Notices to strangers in an hour: a flood of them is not a flood of ours. */
const noticesAnHour = 30;

export const usualStrangerLimits = {
  messages_per_hour: 20,
  tokens_per_day: 200_000,
  total_messages_per_hour: 200,
  total_tokens_per_day: 1_000_000,
  new_per_day: 50,
  files: false,
};
export type StrangerLimits = typeof usualStrangerLimits;

export const strangerLimits = (settings: StrangersSettings = {}): StrangerLimits => {
  const { messages_per_hour, tokens_per_day, total_messages_per_hour, total_tokens_per_day, new_per_day, files } = {
    ...usualStrangerLimits,
    ...settings,
  };
  return { messages_per_hour, tokens_per_day, total_messages_per_hour, total_tokens_per_day, new_per_day, files };
};

/** Whether an agent speaks to a stranger, so that limits hold for it. */
export function speaksToStranger({ deps, descriptor }: Pick<AgentRecord, "deps" | "descriptor">): boolean {
  const { kind, connector: type = "", userId = "" } = descriptor;
  return kind === "user" && isStranger({ type, userId }, new Set(), deps.settings().channels);
}

/** A message of a stranger. */
export type StrangerMessage = {
  /** `<type>:<userId>`. */
  identity: string;
  /** Nobody has an agent for its sender in that room yet. */
  isNew: boolean;
  /** Tokens that its agents have used today, and those of all strangers. */
  tokens: { own: number; all: number };
};

/** `notice`: what is to be said to a stranger; null: it knows. */
export type Admission = { isAdmitted: true } | { isAdmitted: false; notice: string | null };

export class StrangerLimiter {
  readonly #journal: string;
  readonly #limits: () => StrangerLimits;
  readonly #timeZone: string;
  readonly #now: () => number;
  readonly #book: StrangersBook;

  constructor(journal: string, limits: () => StrangerLimits, timeZone: string, now: () => number = Date.now) {
    this.#journal = journal;
    this.#limits = limits;
    this.#timeZone = timeZone;
    this.#now = now;
    this.#book = readStrangers(journal);
  }

  /** Counts a message in, or says that it isn't read. Resolves when that lasts. */
  async admit({ identity, isNew, tokens }: StrangerMessage): Promise<Admission> {
    const book = this.#book;
    const limits = this.#limits();
    const now = this.#now();
    const day = dayOf(now, this.#timeZone);
    this.#forgetOld(now);
    if (book.new.day !== day) book.new = { day, count: 0 };
    const own = Object.hasOwn(book.people, identity) ? book.people[identity] : undefined;
    const person = thisHour(own, now);
    book.all = thisHour(book.all, now);
    const refused = this.#refusal({ limits, person, isNew, tokens, until: () => endOfDay(now, this.#timeZone) });
    if (refused) return this.#refuse(identity, person, refused, now);
    person.messages++;
    book.all.messages++;
    if (isNew) book.new.count++;
    book.people[identity] = person;
    await writeStrangers(this.#journal, book);
    return { isAdmitted: true };
  }

  #refusal({ limits, person, isNew, tokens, until }: Judged): Refusal | null {
    const { all, new: news } = this.#book;
    if (person.messages >= limits.messages_per_hour)
      return { until: () => person.since + hourMs, why: `I read ${limits.messages_per_hour} messages an hour of each` };
    if (tokens.own >= limits.tokens_per_day) return { until, why: "I have said as much today as I may" };
    if (all.messages >= limits.total_messages_per_hour)
      return { until: () => all.since + hourMs, why: "too many others write to me at the moment" };
    if (tokens.all >= limits.total_tokens_per_day || (isNew && news.count >= limits.new_per_day))
      return { until, why: "too many others have written to me today" };
    return null;
  }

  async #refuse(identity: string, person: Stranger, { until: endOf, why }: Refusal, now: number): Promise<Admission> {
    const book = this.#book;
    if ((person.told_until ?? 0) > now) return { isAdmitted: false, notice: null };
    if (now - book.notices.since >= hourMs || book.notices.since > now) book.notices = { since: now, count: 0 };
    if (book.notices.count >= noticesAnHour) return { isAdmitted: false, notice: null };
    book.notices.count++;
    const until = endOf();
    book.people[identity] = { ...person, told_until: until };
    await writeStrangers(this.#journal, book);
    const minutes = Math.max(1, Math.ceil((until - now) / 60_000));
    const wait = minutes > 90 ? `${Math.ceil(minutes / 60)} hours` : minutes === 1 ? "a minute" : `${minutes} minutes`;
    return { isAdmitted: false, notice: `I don't know you, and ${why}. I read what you write again in ${wait}.` };
  }

  /** Drops the people whose hour is over, and who have nothing to wait for any more. */
  #forgetOld(now: number): void {
    const { people } = this.#book;
    for (const [identity, { since, told_until = 0 }] of Object.entries(people))
      if (now - since >= hourMs && told_until <= now) delete people[identity];
  }
}

/** `until`: when it is read again, in ms. */
type Refusal = { until: () => number; why: string };

type Judged = {
  limits: StrangerLimits;
  person: Stranger;
  isNew: boolean;
  tokens: StrangerMessage["tokens"];
  /** The end of the day. */
  until: () => number;
};

/** A clock that was set back begins no new hour: what was counted in the future counts from now on. */
function thisHour(before: Stranger | undefined, now: number): Stranger {
  if (!before) return { since: now, messages: 0 };
  if (before.since > now) return { ...before, since: now };
  return now - before.since >= hourMs ? { ...before, since: now, messages: 0 } : { ...before };
}

const quarterMs = hourMs / 4;

/** No day begins at another minute than a quarter's. */
function endOfDay(now: number, timeZone: string): number {
  const today = dayOf(now, timeZone);
  let at = now - (now % quarterMs) + quarterMs;
  while (dayOf(at, timeZone) === today) at += quarterMs;
  return at;
}
