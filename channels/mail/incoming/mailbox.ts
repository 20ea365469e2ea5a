/**
 * Reading of the mailbox: mails are taken one after the other, and the place is noted behind each, so nothing is lost whenever we
 * end, and what has been taken isn't taken again. A mail that can't be taken is put away at the third failure.
 */
import type { ImapFlow, MailboxObject } from "imapflow";
import { setTimeout as delay } from "node:timers/promises";
import { messageOf } from "../../../files/errors/error-message.ts";
import { isMachineFault } from "../../../files/errors/machine-fault.ts";
import { isAway } from "../../../bus/runs/ask-again.ts";
import { ChannelFullError } from "../../../bus/agents/inbound-refusals.ts";
import { type MailPlace, readMailPlace, writeMailPlace } from "../../../journal/channels/mail-place.ts";
import { forgetOldMailThreads } from "../../../journal/channels/mail-threads.ts";
import { Quarantine } from "../../../journal/quarantine/quarantine.ts";
import type { Logger } from "../../../proc/logging/log.ts";
import { type MailServer, MailPasswordError } from "../base/account.ts";
import { newClient, toMailboxError } from "./imap-client.ts";

const firstPauseMs = 500;
const longestPauseMs = 60_000;
/** Milliseconds after which a connection has been a good one: the next is made at once. */
const steadyMs = 60_000;
/** Milliseconds after which we look by ourselves: a server may forget to tell of a mail. */
const lookMs = 5 * 60_000;
/** The same where the server tells of none, since it has no IDLE. */
const lookWithoutIdleMs = 15_000;
const dayMs = 24 * 3_600_000;
/** Mails at most that are taken when a server counts anew: the latest. */
const maxPending = 5000;
/** Ids of taken mails that are remembered, for a server that counts anew. */
const maxRecent = 500;

export type MailboxDeps = {
  journal: string;
  server: MailServer;
  /**
   * Takes a mail. Resolves when it is stored, or passed over, with its id as a message; after an error it is called again.
   * @param isRepeated whether it was taken before
   */
  takeMail: (client: ImapFlow, uid: number, isRepeated: (id: string) => boolean) => Promise<TakenMail>;
  /** Called each time when the mailbox is open and its place known, or when that has failed. */
  onOpened: () => void;
  log: Logger;
  signal: AbortSignal;
};

/** `id` is null where there is none to remember. `arrived` in ms by the server's clock. */
export type TakenMail = { id: string | null; arrived: number };

/** Reads until the signal. @throws MailPasswordError */
export async function readMailbox(deps: MailboxDeps): Promise<void> {
  const { server, log, signal, onOpened } = deps;
  let pauseMs = firstPauseMs;
  while (!signal.aborted) {
    const client = newClient(server);
    const begun = performance.now();
    const close = () => client.close();
    signal.addEventListener("abort", close);
    try {
      await client.connect();
      const mailbox = await client.mailboxOpen("INBOX");
      const reader = new MailboxReader(deps, client);
      await reader.begin(mailbox);
      onOpened();
      await reader.follow();
    } catch (error) {
      if (signal.aborted) return;
      if (performance.now() - begun > steadyMs) pauseMs = firstPauseMs;
      const problem = toMailboxError(error);
      if (problem instanceof MailPasswordError) throw problem;
      log.warn({ error: problem.message, pause_ms: pauseMs }, "the connection to the mailbox is made anew");
    } finally {
      signal.removeEventListener("abort", close);
      client.close();
      onOpened();
    }
    await delay(pauseMs, undefined, { signal }).catch(() => {});
    pauseMs = Math.min(pauseMs * 2, longestPauseMs);
  }
}

/** One connection's work. */
class MailboxReader {
  readonly #deps: MailboxDeps;
  readonly #client: ImapFlow;
  readonly #quarantine: Quarantine;
  #place!: MailPlace;

  constructor(deps: MailboxDeps, client: ImapFlow) {
    this.#deps = deps;
    this.#client = client;
    this.#quarantine = new Quarantine(deps.journal, "mail");
  }

  /** Finds the place from which on mails are taken. What was there before the first start isn't taken. */
  async begin({ uidValidity, uidNext, exists }: MailboxObject): Promise<void> {
    const { journal, server, log } = this.#deps;
    forgetOldMailThreads(journal);
    const account = `${server.user}@${server.host}:${server.port}`;
    const noted = readMailPlace(journal, account);
    const now = { account, uidValidity: String(uidValidity), uid: Math.max(0, uidNext - 1) };
    if (noted?.uidValidity === now.uidValidity) {
      this.#place = noted;
      return;
    }
    if (noted) {
      log.warn("the mail server counts anew: what arrived since the last mail is looked for");
      this.#place = { ...noted, ...now, pending: await this.#arrivedSince(noted.arrived, now.uid) };
    } else {
      const last = exists > 0 ? await this.#client.fetchOne("*", { internalDate: true }) : false;
      this.#place = { ...now, pending: [], arrived: last ? timeOf(last.internalDate) : 0, recent: [] };
    }
    await writeMailPlace(journal, this.#place);
  }

  /** Takes what is there, and then what comes, until the connection or the signal ends. */
  async follow(): Promise<void> {
    const { signal } = this.#deps;
    const client = this.#client;
    let news = Promise.withResolvers<void>();
    const tell = () => news.resolve();
    client.on("exists", tell).on("close", tell);
    while (client.usable && !signal.aborted) {
      // Before it is looked: what comes meanwhile is news.
      news = Promise.withResolvers();
      await this.#takeNew();
      if (!client.usable) break;
      const isTold = client.capabilities.has("IDLE");
      if (isTold) client.idle().catch(() => {});
      const timer = setTimeout(tell, isTold ? lookMs : lookWithoutIdleMs);
      await news.promise;
      clearTimeout(timer);
    }
    if (!signal.aborted) throw new Error("the connection has ended");
  }

  async #takeNew(): Promise<void> {
    const found = await this.#client.search({ uid: `${this.#place.uid + 1}:*` }, { uid: true });
    // "*" is the last one there is, whatever its number.
    const uids = (found || []).filter((uid) => uid > this.#place.uid).toSorted((a, b) => a - b);
    for (const uid of [...this.#place.pending, ...uids]) {
      const taken = await this.#untilTaken(uid);
      if (!taken) return;
      const { recent, arrived, pending } = this.#place;
      this.#place = {
        ...this.#place,
        uid: Math.max(uid, this.#place.uid),
        pending: pending.filter((one) => one !== uid),
        arrived: Math.max(arrived, taken.arrived),
        recent: taken.id === null ? recent : [...recent, taken.id].slice(-maxRecent),
      };
      await writeMailPlace(this.#deps.journal, this.#place);
    }
  }

  /** Tries until a mail is taken or put away. Null: the signal. @throws when the connection has ended */
  async #untilTaken(uid: number): Promise<TakenMail | null> {
    const { takeMail, log, signal } = this.#deps;
    const { account, uidValidity, recent } = this.#place;
    const key = `${account}:${uidValidity}:${uid}`;
    for (let pauseMs = firstPauseMs; !signal.aborted; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      try {
        const taken = await takeMail(this.#client, uid, (id) => recent.includes(id));
        this.#quarantine.succeeded(key);
        return taken;
      } catch (error) {
        if (signal.aborted) return null;
        if (!this.#client.usable) throw error;
        if (
          !isOfOurSide(error) &&
          (await this.#quarantine.failed(key, error, { bytes: JSON.stringify({ mailbox: account, uid }) })) ===
            "quarantined"
        ) {
          log.error({ err: error, uid }, "a mail isn't taken: it was put away, see cortex doctor");
          return { id: null, arrived: 0 };
        }
        log.warn({ error: messageOf(error), uid, pause_ms: pauseMs }, "a mail isn't taken yet");
        await delay(pauseMs, undefined, { signal }).catch(() => {});
      }
    }
    return null;
  }

  /** The numbers, up to one, of mails that arrived at a time or later, the oldest first. */
  async #arrivedSince(arrived: number, last: number): Promise<number[]> {
    // The server looks at days alone, of its own time zone.
    const found = await this.#client.search({ since: new Date(arrived - 2 * dayMs) }, { uid: true });
    if (!found || found.length === 0) return [];
    const dated = await this.#client.fetchAll(found, { uid: true, internalDate: true }, { uid: true });
    const late = dated.filter(({ uid, internalDate }) => uid <= last && timeOf(internalDate) >= arrived);
    return late
      .map(({ uid }) => uid)
      .toSorted((a, b) => a - b)
      .slice(-maxPending);
  }
}

/** When a mail arrived, in ms; 0: the server doesn't say it. */
export function timeOf(date: Date | string | undefined): number {
  const time = date instanceof Date ? date.getTime() : Number.NaN;
  return Number.isNaN(time) ? 0 : time;
}

/** Whether the bus or the disk is at fault, which may be well again, and not the mail. */
const isOfOurSide = (error: unknown) => isAway(error) || error instanceof ChannelFullError || isMachineFault(error);
