/**
 * Telegram's webhook: it sends each update, and again until we answer that it is stored. They are handled one after the other.
 */
import type { FastifyInstance } from "fastify";
import type { Api } from "grammy";
import type { Update } from "grammy/types";
import { z } from "zod";
import { SerialQueue } from "../../files/locks/serial-queue.ts";
import { isToken } from "../../journal/access/token-file.ts";
import type { Logger } from "../../proc/logging/log.ts";
import { checkedBody, HttpError, newServer } from "../adapter/http-server.ts";
import { Retrier } from "./calls/retrier.ts";
import type { PoisonedUpdates } from "./poisoned-updates.ts";
import { allowedUpdates } from "./updates/update.ts";

/** More than an update has. */
const maxBodyBytes = 1024 * 1024;

const secretHeader = "x-telegram-bot-api-secret-token";

const SentUpdate = z.looseObject({ update_id: z.number().int().nonnegative() });

type WebhookDeps = {
  /** It comes with each update, and shows that Telegram has sent it. */
  secret: string;
  /** Resolves when an update is stored. */
  handleUpdate: (update: Update) => Promise<void>;
  poisoned: PoisonedUpdates;
  log: Logger;
  signal: AbortSignal;
};

/** Makes the server. Each update that comes with the secret is answered with 200 once it is stored, whatever the path; of anything else no byte is read. */
export function openWebhook({ secret, handleUpdate, poisoned, log, signal }: WebhookDeps): FastifyInstance {
  const server = newServer(maxBodyBytes, (error) => log.warn({ err: error }, "an update isn't taken: it comes again"));
  const queue = new SerialQueue();
  /** The updates that are being stored: Telegram sends one again when that takes long. */
  const underWay = new Map<number, Promise<void>>();

  server.addHook("onRequest", async ({ headers }) => {
    const sent = headers[secretHeader];
    if (typeof sent !== "string" || !isToken(secret, sent))
      throw new HttpError(401, `${secretHeader}: the secret is missing or wrong`);
  });
  server.post("/*", async ({ body }) => {
    // Telegram alone knows the secret, and its words are as its documentation says.
    const update = checkedBody(SentUpdate, body) as unknown as Update;
    const { update_id: id } = update;
    const storing = underWay.get(id) ?? queue.run(() => take(update)).finally(() => underWay.delete(id));
    underWay.set(id, storing);
    await storing;
    return {};
  });
  return server;

  async function take(update: Update): Promise<void> {
    try {
      await handleUpdate(update);
    } catch (error) {
      if (!signal.aborted && (await poisoned.failed(update, error))) return;
      throw new HttpError(503, "it isn't stored: send it again", { cause: error });
    }
    poisoned.taken(update);
  }
}

type SetDeps = { api: Api; secret: string; publicUrl: string; log: Logger; signal: AbortSignal };

/** Tells Telegram where to send updates, until it has taken that: one at a time, so that they come in their order. @throws TokenRefusedError */
export async function setWebhook({ api, secret, publicUrl, log, signal }: SetDeps): Promise<void> {
  const how = { secret_token: secret, allowed_updates: allowedUpdates, max_connections: 1 };
  const set = () => api.setWebhook(publicUrl, how, signal as Parameters<Api["setWebhook"]>[2]);
  if (await new Retrier(log, signal).always("Telegram doesn't take the webhook", set))
    log.info({ public_url: publicUrl }, "Telegram sends its updates there");
}
