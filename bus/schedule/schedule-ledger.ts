/** The ledger of scheduled runs: the outcome of each day or occurrence, persona and facet. Any number of schedulers write it; each entry is made once. */
import { JetStreamApiError } from "@nats-io/jetstream";
import { type KV, type KvEntry, Kvm } from "@nats-io/kv";
import type { z } from "zod";
import { Group, Cursor, type Unit, UnitRecord, Work } from "../../protocol/programs/schedule.ts";
import type { Bus } from "../connection/connect.ts";
import { parseOwnJson } from "../../protocol/json/parse-json.ts";

const unitBucket = "cortex_schedule";
const stateBucket = "cortex_schedule_state";

/** How many entries are asked for at once. */
const readAtOnce = 64;

/** Milliseconds for which a unit's entry is kept: longer than anybody asks for a day again. */
const ttlMs = 400 * 24 * 3_600_000;

/** The server's code for "wrong last sequence": someone else was quicker. */
const wrongSequence = 10071;

/** A value, and the revision that a change of it must name. 0: there is none yet. */
export type Revised<T> = { value: T | null; revision: number };

/** The key of an entry; without a facet, not even none, that of a group. */
export type EntryKey = Omit<Unit, "facet"> & { facet: string | null | undefined };

/** The entry of a unit or a group in the ledger. */
export type HistoryEntry = { unit: Unit; record: UnitRecord } | { unit: Unit; group: Group };

/** The part of it that schedulers need. */
export type ScheduleStore = Pick<
  ScheduleLedger,
  | "queue"
  | "setQueue"
  | "queuesInHand"
  | "cursor"
  | "cursors"
  | "setCursor"
  | "sawDay"
  | "group"
  | "decide"
  | "record"
  | "setRecord"
  | "revision"
>;

export class ScheduleLedger {
  readonly #units: KV;
  /** Queues and cursors, which must not age. Their keys keep the words of earlier versions: `lane.`, `mark.`. */
  readonly #state: KV;

  readonly #bus: Bus;
  readonly #onDecided: () => void;

  private constructor(bus: Bus, units: KV, state: KV, onDecided: () => void) {
    this.#bus = bus;
    this.#units = units;
    this.#state = state;
    this.#onDecided = onDecided;
  }

  /** @param onDecided hears when this one has decided what runs, or is skipped */
  static async open(bus: Bus, onDecided: () => void = () => {}): Promise<ScheduleLedger> {
    const kvm = new Kvm(bus.js);
    const units = await kvm.create(unitBucket, { history: 1, ttl: ttlMs });
    return new ScheduleLedger(bus, units, await kvm.create(stateBucket, { history: 1 }), onDecided);
  }

  /** The work that a queue has in hand. */
  async queue(name: string): Promise<Revised<Work>> {
    return valueAt(await this.#state.get(`lane.${token(name)}`), Work);
  }

  /** Takes work in hand, or lays it down. False: the queue is no longer at that revision. */
  async setQueue(name: string, work: Work | null, revision: number): Promise<boolean> {
    return replace(this.#state, `lane.${token(name)}`, work, revision);
  }

  /** The queues that have work in hand. */
  async queuesInHand(): Promise<string[]> {
    const queues = (await this.#keys(stateBucket, "lane.>")).map((key) => nameOf(key.slice("lane.".length)));
    const held = await Promise.all(queues.map((name) => this.queue(name)));
    return queues.filter((_, index) => held[index]?.value);
  }

  async cursor(persona: string): Promise<Revised<Cursor>> {
    return valueAt(await this.#state.get(`mark.${token(persona)}`), Cursor);
  }

  /** The cursors of all personas. */
  async cursors(): Promise<Map<string, Cursor>> {
    const names = (await this.#keys(stateBucket, "mark.>")).map((key) => nameOf(key.slice("mark.".length)));
    const cursors = await Promise.all(names.map(async (name) => ({ name, cursor: (await this.cursor(name)).value })));
    return new Map(cursors.flatMap(({ name, cursor }) => (cursor ? [[name, cursor]] : [])));
  }

  /** Null: forgets it. False: it is no longer at that revision. */
  async setCursor(persona: string, cursor: Cursor | null, revision: number): Promise<boolean> {
    return replace(this.#state, `mark.${token(persona)}`, cursor, revision);
  }

  /** When a day was first seen to be over: by this one, unless another saw it earlier. */
  async sawDay(day: string, now: number): Promise<number> {
    if (await replace(this.#units, day, now, 0)) return now;
    return Number((await this.#units.get(day))?.string() ?? now);
  }

  async group(unit: Unit): Promise<Group | null> {
    return valueAt(await this.#units.get(groupKey(unit)), Group).value;
  }

  /** Decides a group, unless it has been: returns what was decided first. */
  async decide(unit: Unit, group: Group): Promise<Group> {
    if (await replace(this.#units, groupKey(unit), group, 0)) {
      this.#onDecided();
      return group;
    }
    return (await this.group(unit)) ?? group;
  }

  async record(unit: Unit): Promise<Revised<UnitRecord>> {
    return valueAt(await this.#units.get(unitKey(unit)), UnitRecord);
  }

  /** Makes or changes a unit's record. False: it is no longer at that revision. */
  async setRecord(unit: Unit, record: UnitRecord, revision: number): Promise<boolean> {
    return replace(this.#units, unitKey(unit), record, revision);
  }

  /** The last revision of any unit: what has a later one happened since. */
  async revision(): Promise<number> {
    return (await this.#units.status()).streamInfo.state.last_seq;
  }

  /** Lists the keys of entries, of a day or altogether, the newest first: `facet` undefined is a group. */
  async known(day?: string): Promise<EntryKey[]> {
    const keys = await this.#keys(unitBucket, `${day ?? "*"}.>`);
    return keys
      .map((key): EntryKey => {
        const [ofDay = "", persona = "", time = "", facet] = key.split(".");
        return { day: ofDay, persona: nameOf(persona), time, facet: facet === noFacet ? null : facet };
      })
      .toSorted((a, b) => (turnOf(a) < turnOf(b) ? 1 : turnOf(a) > turnOf(b) ? -1 : 0));
  }

  /** Reads the entries. */
  async history(known: EntryKey[]): Promise<HistoryEntry[]> {
    const found: HistoryEntry[] = [];
    for (let at = 0; at < known.length; at += readAtOnce)
      for (const entry of await Promise.all(known.slice(at, at + readAtOnce).map((one) => this.#entry(one))))
        if (entry) found.push(entry);
    return found;
  }

  async #entry({ facet, ...of }: EntryKey): Promise<HistoryEntry | null> {
    const unit: Unit = { ...of, facet: facet ?? null };
    if (facet === undefined) {
      const group = await this.group(unit);
      return group && { unit, group };
    }
    const { value: record } = await this.record(unit);
    return record && { unit, record };
  }

  /**
   * The keys of a bucket that match. Asked of the stream: a consumer that reads a bucket to its end, as `keys` and `history`
   * of the library do, may wait for ever when entries are replaced meanwhile.
   */
  async #keys(bucket: string, key: string): Promise<string[]> {
    const prefix = `$KV.${bucket}.`;
    const { state } = await (await this.#bus.manager()).streams.info(`KV_${bucket}`, {
      subjects_filter: `${prefix}${key}`,
    });
    return Object.keys(state.subjects ?? {}).map((subject) => subject.slice(prefix.length));
  }
}

/** In order of day and time; a daily run comes after the day's occurrences. */
const turnOf = ({ day, time }: EntryKey) => `${day} ${time}`;

/** No facet has this name. */
const noFacet = "-";

/** An app's persona has a colon in its name, which a key may not. */
const token = (name: string) => name.replace(":", "/");
const nameOf = (token: string) => token.replace("/", ":");

const groupKey = ({ day, persona, time }: Unit) => `${day}.${token(persona)}.${time}`;
const unitKey = (unit: Unit) => `${groupKey(unit)}.${unit.facet ?? noFacet}`;

function valueAt<T>(entry: KvEntry | null, schema: z.ZodType<T>): Revised<T> {
  if (!entry) return { value: null, revision: 0 };
  const value = entry.operation === "PUT" ? schema.nullable().parse(parseOwnJson(entry.string())) : null;
  return { value, revision: entry.revision };
}

async function replace(kv: KV, key: string, value: unknown, revision: number): Promise<boolean> {
  try {
    const text = JSON.stringify(value);
    await (revision === 0 ? kv.create(key, text) : kv.update(key, text, revision));
    return true;
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === wrongSequence) return false;
    throw error;
  }
}
