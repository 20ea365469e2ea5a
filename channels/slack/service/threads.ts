/**
 * Threads in which the bot is heard without a mention: it was mentioned there, or has spoken. Slack is asked once for each, and
 * what happens from then on is seen, so that a restart loses none.
 */
import type { WebClient } from "@slack/web-api";
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "../../../proc/logging/log.ts";
import { RetryableDeliveryError } from "../../adapter/delivery-errors.ts";
import { remember } from "./directory.ts";
import { SlackRefusalError, toDeliveryError } from "./failures.ts";

/** A longer thread is looked through as far as this: behind it the bot answers to mentions alone. */
const pages = 5;
const pageSize = 200;

const tries = 3;
const pauseMs = 1000;
/** Longest pause that a message waits for: then it counts as said to others. */
const longestPauseMs = 30_000;

type ThreadsDeps = { client: WebClient; botId: () => string; log: Logger; signal: AbortSignal };

export class Threads {
  readonly #deps: ThreadsDeps;
  /** Whether the bot is part of a thread. */
  readonly #known = new Map<string, boolean>();

  constructor(deps: ThreadsDeps) {
    this.#deps = deps;
  }

  /** The bot was mentioned in a thread, or has spoken there. */
  note(room: string, thread: string): void {
    remember(this.#known, keyOf(room, thread), true);
  }

  /** Whether the bot is part of a thread. False where Slack doesn't say it. */
  async isOurs(room: string, thread: string): Promise<boolean> {
    const { log, signal } = this.#deps;
    const key = keyOf(room, thread);
    for (let attempt = 1; ; attempt++) {
      const known = this.#known.get(key);
      if (known !== undefined) return known;
      try {
        const isOurs = await this.#ask(room, thread);
        if (!this.#known.get(key)) remember(this.#known, key, isOurs);
      } catch (error) {
        const problem = toDeliveryError(error);
        if (problem instanceof SlackRefusalError) remember(this.#known, key, false);
        const asked = (problem instanceof RetryableDeliveryError ? problem.afterMs : undefined) ?? pauseMs;
        const isOver = problem instanceof SlackRefusalError || attempt === tries || asked > longestPauseMs;
        if (isOver)
          log.warn({ error: problem.message }, "a thread isn't known: the bot answers there when it is mentioned");
        if (isOver || signal.aborted) return false;
        await delay(asked, undefined, { signal }).catch(() => {});
      }
    }
  }

  async #ask(room: string, thread: string): Promise<boolean> {
    const { client, botId } = this.#deps;
    let cursor: string | undefined;
    for (let page = 0; page < pages; page++) {
      const answer = await client.conversations.replies({
        channel: room,
        ts: thread,
        limit: pageSize,
        ...(cursor === undefined ? {} : { cursor }),
      });
      const bot = botId();
      if (answer.messages?.some(({ user, text }) => user === bot || mentions(text, bot))) return true;
      cursor = answer.response_metadata?.next_cursor || undefined;
      if (cursor === undefined) return false;
    }
    return false;
  }
}

/** Whether a text mentions a person: by the id alone, or with a name behind it. */
export const mentions = (text: string | null | undefined, userId: string): boolean =>
  [">", "|"].some((end) => text?.includes(`<@${userId}${end}`));

const keyOf = (room: string, thread: string) => `${room} ${thread}`;
