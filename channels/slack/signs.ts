/** The sign that a message was read: eyes below it until something is said in its place. Best effort, and gone with a restart. */
import type { WebClient } from "@slack/web-api";
import type { Logger } from "../../proc/logging/log.ts";
import type { Channel } from "../../protocol/agents/channel.ts";
import { remember } from "./service/directory.ts";
import { toDeliveryError } from "./service/failures.ts";

const name = "eyes";
/** Signs in one place, and places. */
const mostSigns = 20;
const mostPlaces = 1000;

type Sign = { room: string; ts: string; adding: Promise<void> };

export class ReadingSigns {
  readonly #hasty: WebClient;
  readonly #log: Logger;
  readonly #shown = new Map<string, Sign[]>();

  constructor(hasty: WebClient, log: Logger) {
    this.#hasty = hasty;
    this.#log = log;
  }

  /** A message was taken: `channel` is where its answer goes. */
  show(channel: Channel, room: string, ts: string): void {
    const adding = this.#try(() => this.#hasty.reactions.add({ channel: room, timestamp: ts, name }), "put below it");
    const before = this.#shown.get(keyOf(channel)) ?? [];
    remember(this.#shown, keyOf(channel), [...before, { room, ts, adding }].slice(-mostSigns), mostPlaces);
  }

  /** Something was said there. */
  clear(channel: Channel): void {
    const signs = this.#shown.get(keyOf(channel)) ?? [];
    this.#shown.delete(keyOf(channel));
    for (const { room, ts, adding } of signs)
      void adding.then(() =>
        this.#try(() => this.#hasty.reactions.remove({ channel: room, timestamp: ts, name }), "taken away"),
      );
  }

  async #try(work: () => Promise<unknown>, what: string): Promise<void> {
    await work().catch((error: unknown) => {
      this.#log.info({ error: toDeliveryError(error).message }, `the sign that a message was read wasn't ${what}`);
    });
  }
}

const keyOf = ({ channelId, replyTo = "" }: Channel) => `${channelId} ${replyTo}`;
