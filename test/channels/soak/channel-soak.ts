/** A soak of the channels: people write by all of them at once to a whole system, whose programs are killed meanwhile. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { readProgramRecord } from "../../../journal/programs/programs.ts";
import { adapterProgram } from "../../../protocol/agents/channel-settings.ts";
import { AgentsSystem } from "../../agents/agents-system.ts";
import { dice } from "../../agents/long-talks/dice.ts";
import { keepJournal } from "../../support/keep-journal.ts";
import { patienceMs } from "../../support/patience.ts";
import type { PlayedService } from "../table/played-service.ts";
import { type FaultCounts, SoakFaults } from "./faults.ts";
import { thinkOfMessages } from "./mind.ts";
import { type Outcome, SoakPerson } from "./person.ts";

export type ChannelSoak = {
  /** Messages of all people together. */
  messages: number;
  /** The time over which they are written, in ms; 0: as fast as they are answered. */
  overMs: number;
  /** The time between two faults, in ms, at most; a program is back before the next. */
  faultEveryMs: number;
  /** How long an answer is waited for, in ms; without it the message is lost. */
  giveUpMs: number;
  seed: number;
  /** Told now and then, as messages are settled. */
  onProgress?: (settled: number, faults: FaultCounts) => void;
};

export type SoakResult = {
  outcomes: (Outcome & { type: string })[];
  faults: FaultCounts;
  /** All that must not have happened, in words. */
  broken: string[];
};

const progressEveryMs = 30_000;
/** Limits that nobody meets here: what is counted is whether all arrives. */
const plenty = 1_000_000_000;

/** @param services the played servers of the channels; disposed of in the end */
export async function soakChannels(services: PlayedService[], soak: ChannelSoak): Promise<SoakResult> {
  await using ends = new AsyncDisposableStack();
  for (const service of services) ends.use(service);
  const system = ends.use(await startSystem(services));
  const stopping = new AbortController();
  const watching = watchAddresses(system, services, stopping.signal);
  ends.defer(async () => {
    stopping.abort();
    await watching;
  });
  const people = services
    .flatMap((service) => peopleOf(service).map((who) => ({ service, who })))
    .map(({ service, who }, at) => new SoakPerson(at, service, who));
  if (soak.messages < people.length)
    throw new Error(`${soak.messages} messages: expected one of each of ${people.length} people, at least`);
  await greet(system, people);

  const faults = new SoakFaults(system, services, dice(soak.seed));
  const calm = new AbortController();
  const failing = faults.happen(soak.faultEveryMs, calm.signal);
  const settled = () => people.flatMap(({ outcomes }) => outcomes.filter(({ ms }) => ms > 0)).length;
  const telling = setInterval(() => soak.onProgress?.(settled(), faults.counts), progressEveryMs);
  ends.defer(() => clearInterval(telling));
  const writing = writeAll(people, soak).finally(() => calm.abort());
  await Promise.all([writing, failing]);

  await system.until(() => people.every(({ agent }) => !system.state(agent).turn), "nobody is at work any more");
  for (const person of people) person.settle();
  const outcomes = people.flatMap(({ type, outcomes }) => outcomes.map((outcome) => ({ type, ...outcome })));
  const broken = [...problemsOf(outcomes), ...system.wrong, ...system.model.refusals];
  if (broken.length > 0) broken.push(`the journal: ${keepJournal(system.journal)}`);
  return { outcomes, faults: faults.counts, broken };
}

const peopleOf = ({ people }: PlayedService) => [people.owner, ...Object.values(people.others ?? {})];

/** One message of each, before anything is killed: from then on each has an agent. @throws Error when one isn't answered */
async function greet(system: AgentsSystem, people: readonly SoakPerson[]): Promise<void> {
  const now = { roll: () => 0, due: () => 0, giveUpMs: patienceMs };
  await Promise.all(people.map((person) => person.write(1, now)));
  const silent = people.filter(({ outcomes }) => outcomes.some(({ ms }) => ms > patienceMs));
  if (silent.length > 0) throw new Error(`no answer: ${JSON.stringify(silent.map(({ channel }) => channel))}`);
  for (const person of people) person.isHeardBy(system.journal, await system.agentOf(person.channel));
}

/** All messages beside the first of each, in equal shares. */
async function writeAll(
  people: readonly SoakPerson[],
  { messages, overMs, giveUpMs, seed }: ChannelSoak,
): Promise<void> {
  const began = performance.now();
  const left = messages - people.length;
  const writing = people.map((person, at) => {
    const share = Math.floor(left / people.length) + (at < left % people.length ? 1 : 0);
    const due = (count: number) => began + (count / share) * overMs;
    return person.write(share, { roll: dice(seed + at + 1), due, giveUpMs });
  });
  await Promise.all(writing);
}

async function startSystem(services: readonly PlayedService[]): Promise<AgentsSystem> {
  const owners = services.map(({ type, people }) => `${type}:${people.owner.userId}`);
  const strangers = {
    messages_per_hour: plenty,
    tokens_per_day: plenty,
    total_messages_per_hour: plenty,
    total_tokens_per_day: plenty,
  };
  const channels = Object.fromEntries(
    services.map(({ type, settings }) => [
      type,
      type === "mail" ? { ...settings, answers_per_hour: plenty } : settings,
    ]),
  );
  const system = await AgentsSystem.start(
    {
      channels: { web: { enabled: false }, ...channels },
      agents: { owners, binding: "perChannel", strangers, queue: { telegram: "steer", slack: "collect" } },
    },
    {},
    {},
    (journal) => {
      for (const { secrets } of services)
        for (const [path, text] of Object.entries(secrets)) writeFileSync(join(journal, path), text, { mode: 0o600 });
    },
  );
  system.think("", (conversation) => {
    // Ten thousand conversations of hundreds of messages are more than this process could keep.
    system.asked.length = 0;
    system.model.requests.length = 0;
    return { turn: thinkOfMessages(conversation) };
  });
  return system;
}

/** Tells each service where its adapter listens, again whenever that has changed. */
async function watchAddresses(
  system: AgentsSystem,
  services: readonly PlayedService[],
  stop: AbortSignal,
): Promise<void> {
  const known = new Map<string, string>();
  while (!stop.aborted) {
    for (const { type, isThere } of services) {
      const record = await readProgramRecord(system.journal, adapterProgram(type));
      if (record?.url === undefined || known.get(type) === record.url) continue;
      known.set(type, record.url);
      await isThere?.(record.url, system.journal);
    }
    await delay(50);
  }
}

/** Lost, heard twice, answered twice without a word that it wasn't known. */
export function problemsOf(outcomes: readonly (Outcome & { type: string })[]): string[] {
  return outcomes.flatMap(({ type, word, heard, answered, told }) => [
    ...(heard === 1 ? [] : [`${type} ${word} was heard ${heard} times`]),
    ...(answered === 0 && !told ? [`${type} ${word} has no answer, and nobody was told why`] : []),
    ...(answered > 1 && !told ? [`${type} ${word} was answered ${answered} times`] : []),
  ]);
}
