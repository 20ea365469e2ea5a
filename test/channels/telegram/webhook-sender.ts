/** Sends updates to a bot's webhook as Telegram does: one after the other, each again until it is answered with 2xx. */
import { setTimeout as delay } from "node:timers/promises";

export type WebhookSettings = { url: string; secret_token: string; allowed_updates: string[]; max_connections: number };

type SentUpdate = { update_id: number };

type WebhookSource = {
  next: () => SentUpdate | undefined;
  taken: (update: SentUpdate) => void;
};

/** Milliseconds before an update is sent again. */
const againMs = 50;

export class WebhookSender {
  settings: WebhookSettings | null = null;
  /** Where the proxy in front of it hands on to. */
  target = "";
  readonly answers: number[] = [];
  readonly #source: WebhookSource;
  #isSending = false;

  constructor(source: WebhookSource) {
    this.#source = source;
  }

  send(): void {
    if (!this.#isSending) void this.#sendAll();
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true;
    for (let update = this.#source.next(); update && this.settings && this.target; update = this.#source.next()) {
      const status = await this.#sendOne(update, this.settings);
      if (status !== undefined) this.answers.push(status);
      if (status === 200) this.#source.taken(update);
      else await delay(againMs);
    }
    this.#isSending = false;
  }

  /** @returns the status; undefined: nobody answers */
  async #sendOne(update: SentUpdate, { url, secret_token }: WebhookSettings): Promise<number | undefined> {
    const headers = { "Content-Type": "application/json", "X-Telegram-Bot-Api-Secret-Token": secret_token };
    const address = new URL(new URL(url).pathname, this.target);
    const sent = { method: "POST", headers, body: JSON.stringify(update) };
    return fetch(address, sent).then(
      ({ status }) => status,
      () => undefined,
    );
  }
}
