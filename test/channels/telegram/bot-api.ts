/** Plays Telegram's Bot API over HTTP, in its wire format, for one bot: updates held until they are confirmed by a higher offset, calls noted, failures as they are ordered. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { answerHalf } from "../../support/network/torn.ts";
import { formOf, type SentFile } from "./form.ts";
import { type Entity, parseHtml } from "./parse-html.ts";
import { WebhookSender, type WebhookSettings } from "./webhook-sender.ts";
import { keptConnections } from "../../support/network/kept-connections.ts";

export const botToken = "123456:AAHkq_tests-tests-tests-tests-tests";

/** The name of its bot. */
export const botName = "Cortex_Bot";

export type Call = { method: string; payload: Record<string, unknown> };
/**
 * The failure that answers a call instead: an error of the API, a connection that breaks before the call counts, one on which
 * nothing is said any more, or one that breaks in the middle of the answer, once the call counts.
 */
export type Failure = { error_code: number; description: string; parameters?: object } | "reset" | "silent" | "torn";

const conflict =
  "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first";

type Update = { update_id: number } & Record<string, unknown>;

export class BotApi implements AsyncDisposable {
  /** All calls but those for updates, for its name, for its menu, and those that say that it is typing. */
  readonly calls: Call[] = [];
  /** Where it said that it is typing, each time. */
  readonly typing: unknown[] = [];
  /** The commands that were set, each time. */
  readonly menus: unknown[] = [];
  /** How each question for updates was put. */
  readonly polls: Record<string, unknown>[] = [];
  /** The next failures of a method; of `file`, of files that are fetched. */
  readonly failures = new Map<string, Failure[]>();
  readonly files = new Map<string, Buffer>();
  /** The token that is taken. */
  token = botToken;
  /** The messages that were sent, as they are in the chats. */
  readonly sent: { chat_id: string; text: string; entities: Entity[]; message_id: number }[] = [];
  /** The files that were sent. */
  readonly sentFiles: ({ chat_id: string; method: string } & SentFile)[] = [];
  readonly #happened = new Map<number, Record<string, unknown>>();
  #updates: Update[] = [];
  #nextUpdate = 9000;
  #nextMessage = 100;
  #poll: { answer: () => void; end: () => void } | null = null;
  readonly #server: Server;
  readonly #webhook = new WebhookSender({
    next: () => this.#updates[0],
    taken: ({ update_id }) => (this.#updates = this.#updates.filter((one) => one.update_id !== update_id)),
  });

  private constructor() {
    this.#server = createServer(keptConnections, (request, response) => {
      // Who asks may be killed in the middle of it.
      this.#take(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
  }

  static async start(): Promise<BotApi> {
    const api = new BotApi();
    await new Promise<void>((resolve) => void api.#server.listen(0, "127.0.0.1", resolve));
    return api;
  }

  get root(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** A proxy hands on what is sent to the webhook, to this address. */
  reach(url: string): void {
    this.#webhook.target = url;
    this.#webhook.send();
  }

  /** The webhook that the bot has set last; null: it has none. */
  get webhook(): WebhookSettings | null {
    return this.#webhook.settings;
  }

  /** How the webhook has answered, each time. */
  get answers(): number[] {
    return this.#webhook.answers;
  }

  /** Updates that weren't confirmed yet. */
  get waiting(): number {
    return this.#updates.length;
  }

  get texts(): string[] {
    return this.sent.map(({ text }) => text);
  }

  /** Breaks all connections. */
  drop(): void {
    this.#server.closeAllConnections();
  }

  fail(method: string, ...failures: Failure[]): void {
    this.failures.set(method, [...(this.failures.get(method) ?? []), ...failures]);
  }

  /** Lists the messages written in a chat, in order. */
  written(chat: number): string[] {
    return [...this.#happened.values()].flatMap(({ message }) => {
      const { chat: where, text } = (message ?? {}) as { chat?: { id: number }; text?: string };
      return where?.id === chat && text !== undefined ? [text] : [];
    });
  }

  /** Something happens. Returns its update's id. */
  happen(update: Record<string, unknown>, id = this.#nextUpdate++): number {
    this.#happened.set(id, update);
    this.#updates.push({ update_id: id, ...update });
    this.#poll?.answer();
    this.#webhook.send();
    return id;
  }

  updateOf(id: number): Record<string, unknown> {
    return this.#happened.get(id) ?? {};
  }

  /** The id that the adapter gives the message of an update. */
  idOf(update: number): string {
    const { message } = this.updateOf(update) as { message?: { chat: { id: number }; message_id: number } };
    return `tg-${message?.chat.id}-${message?.message_id}`;
  }

  /** Something happens again, since it wasn't confirmed. */
  repeat(update: number): void {
    this.happen(this.updateOf(update), update);
  }

  /** A user writes. Returns the update's id. */
  write(text: string, more: Record<string, unknown> = {}, user = 17): number {
    return this.happen({
      message: {
        message_id: this.#nextMessage++,
        from: { id: user, is_bot: false, first_name: "Ada", username: "ada" },
        chat: { id: user, type: "private", first_name: "Ada" },
        date: 1736380800,
        ...(text === "" ? {} : { text, ...entitiesOf(text) }),
        ...more,
      },
    });
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const part of request) chunks.push(part as Buffer);
    const bytes = Buffer.concat(chunks);
    const body = bytes.toString("utf8");
    const [, file, token = "", name = ""] = /^\/(file\/)?bot([^/]+)\/(.+)$/.exec(request.url ?? "") ?? [];
    if (token !== this.token) return answer(response, 401, "Unauthorized");
    if (file) return this.#giveFile(name, response);
    const isForm = request.headers["content-type"]?.startsWith("multipart/form-data");
    const payload = isForm
      ? await formOf(request, bytes)
      : ((body === "" ? {} : JSON.parse(body)) as Record<string, unknown>);
    const failure = this.failures.get(name)?.shift();
    if (name === "setMyCommands") this.menus.push(payload["commands"]);
    else if (name === "sendChatAction") this.typing.push(payload);
    else if (name !== "getUpdates" && name !== "getMe") this.calls.push({ method: name, payload });
    if (failure === "silent") return;
    if (failure === "reset") return void request.socket.destroy();
    if (failure === "torn") torn.add(response);
    else if (failure) return answer(response, failure.error_code, failure.description, failure.parameters);
    if (name === "getUpdates") this.#getUpdates(payload, response);
    else this.#call(name, payload, response);
  }

  #giveFile(name: string, response: ServerResponse): void {
    const content = this.files.get(name);
    if (!content) return answer(response, 404, "Not Found");
    const headers = { "Content-Type": "application/octet-stream" };
    if (this.failures.get("file")?.shift()) answerHalf(response, 200, headers, content);
    else response.writeHead(200, headers).end(content);
  }

  /** Confirms what is below the offset, and holds the question while there is nothing. One at a time: another ends it. */
  #getUpdates(payload: Record<string, unknown>, response: ServerResponse): void {
    const { offset = 0, timeout = 0, limit = 100 } = payload as { offset?: number; timeout?: number; limit?: number };
    this.polls.push(payload);
    if (this.webhook) return answer(response, 409, conflict);
    this.#poll?.end();
    this.#updates = this.#updates.filter(({ update_id }) => update_id >= offset);
    const timer = setTimeout(() => ok(response, []), timeout * 1000);
    const poll = {
      answer: () => {
        if (this.#updates.length === 0) return;
        this.#poll = null;
        clearTimeout(timer);
        ok(response, this.#updates.slice(0, limit));
      },
      end: () => {
        clearTimeout(timer);
        answer(
          response,
          409,
          "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
        );
      },
    };
    this.#poll = poll;
    response.once("close", () => {
      clearTimeout(timer);
      if (this.#poll === poll) this.#poll = null;
    });
    poll.answer();
  }

  #call(method: string, payload: Record<string, unknown>, response: ServerResponse): void {
    const { chat_id, text } = payload as { chat_id?: string | number; text?: string };
    switch (method) {
      case "sendMessage": {
        if (!text) return answer(response, 400, "Bad Request: message text is empty");
        let shown: { text: string; entities: Entity[] } = { text, entities: [] };
        try {
          if (payload["parse_mode"] === "HTML") shown = parseHtml(text);
        } catch (error) {
          return answer(response, 400, (error as Error).message);
        }
        if (shown.text.length > 4096) return answer(response, 400, "Bad Request: message is too long");
        if (String(chat_id) === "404") return answer(response, 400, "Bad Request: chat not found");
        const message_id = this.#nextMessage++;
        this.sent.push({ chat_id: String(chat_id), ...shown, message_id });
        const chat = { id: Number(chat_id), type: "private" };
        return ok(response, { message_id, date: 1736380800, chat, text: shown.text });
      }
      case "sendPhoto":
      case "sendVoice":
      case "sendDocument": {
        const file = payload[method.slice("send".length).toLowerCase()] as SentFile | undefined;
        if (!file) return answer(response, 400, "Bad Request: there is no file in the request");
        const message_id = this.#nextMessage++;
        this.sentFiles.push({ chat_id: String(chat_id), method, ...file });
        return ok(response, { message_id, date: 1736380800, chat: { id: Number(chat_id), type: "private" } });
      }
      case "getFile": {
        const id = String(payload["file_id"]);
        if (!this.files.has(id)) return answer(response, 400, "Bad Request: invalid file_id");
        const size = this.files.get(id)?.length;
        return ok(response, { file_id: id, file_unique_id: id, file_size: size, file_path: id });
      }
      case "setWebhook":
      case "deleteWebhook": {
        const { url = "" } = payload as { url?: string };
        if (method === "setWebhook" && !url.startsWith("https://"))
          return answer(response, 400, "Bad Request: bad webhook: An HTTPS URL must be provided for webhook");
        this.#webhook.settings = method === "setWebhook" ? (payload as WebhookSettings) : null;
        ok(response, true);
        return this.#webhook.send();
      }
      case "getMe":
        return ok(response, { id: 123456, is_bot: true, first_name: "Cortex", username: botName });
      case "setMyCommands":
      case "sendChatAction":
      case "answerCallbackQuery":
      case "editMessageReplyMarkup":
        return ok(response, true);
      default:
        return answer(response, 404, "Not Found");
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#webhook.settings = null;
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** The commands and mentions of a text, as Telegram marks them. */
function entitiesOf(text: string): { entities?: object[] } {
  const marks = [...text.matchAll(/(?<![\w@/])(?:\/[a-z]+(?:@\w+)?|@\w{3,32})/gi)];
  const entities = marks.map(({ 0: mark, index: offset }) => {
    return { type: mark.startsWith("/") ? "bot_command" : "mention", offset, length: mark.length };
  });
  return entities.length === 0 ? {} : { entities };
}

/** Answers that are going to break off in the middle. */
const torn = new WeakSet<ServerResponse>();

function ok(response: ServerResponse, result: unknown): void {
  const [headers, body] = [{ "Content-Type": "application/json" }, JSON.stringify({ ok: true, result })];
  if (torn.has(response)) answerHalf(response, 200, headers, body);
  else response.writeHead(200, headers).end(body);
}

function answer(response: ServerResponse, error_code: number, description: string, parameters?: object): void {
  response
    .writeHead(error_code, { "Content-Type": "application/json" })
    .end(JSON.stringify({ ok: false, error_code, description, ...(parameters ? { parameters } : {}) }));
}
