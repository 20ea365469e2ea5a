/** Plays Slack for one bot in its wire format: the Web API over HTTP, files, and Socket Mode beside it; failures as they are ordered. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { answerHalf } from "../../support/network/torn.ts";
import { SlackSocket } from "./slack-socket.ts";
import { keptConnections } from "../../support/network/kept-connections.ts";

export const appToken = "xapp-1-A0CORTEX-1-tests-tests-tests";
export const botToken = "xoxb-1-2-tests-tests-tests-tests";
export const botUser = "U0BOT";
export const team = "T0TEAM";

export type Call = { method: string; payload: Record<string, unknown> };
/**
 * The failure that answers a call instead: an error of the API, a status, a limit; a connection that breaks before the call counts
 * (`reset`), after it (`lost`) or in the middle of its answer (`torn`); an answer that ends in its middle as if it were whole (`half`).
 */
export type Failure =
  | { error: string }
  | { status: number }
  | { retryAfter: number }
  | "reset"
  | "lost"
  | "torn"
  | "half";

export type Posted = { channel: string; ts: string; thread_ts?: string; user: string; text: string; blocks?: unknown };

export class SlackApi implements AsyncDisposable {
  readonly socket = new SlackSocket();
  /** All calls of the bot's, in order, but those that find out who it is. */
  readonly calls: Call[] = [];
  /** All messages, the bot's and others', as they are in the rooms. */
  readonly messages: Posted[] = [];
  /** The contents of files that people have sent, by name. */
  readonly files = new Map<string, { content: Buffer; type: string }>();
  /** The files that the bot has shared. */
  readonly shared: { channel: string; thread_ts?: string; name: string; content: Buffer }[] = [];
  /** Reactions of the bot's that stand, as `room ts`. */
  readonly reactions = new Set<string>();
  /** Statuses of the bot's that stand, by `room thread`. That Slack takes one away after two minutes isn't played. */
  readonly statuses = new Map<string, string>();
  readonly people = new Map([
    ["U17", "Ada"],
    ["U18", "Bea"],
  ]);
  /** Tokens that are refused, each with its code. */
  readonly refusedTokens = new Map<string, string>();
  /** By method; those of `file` are of files that are fetched. */
  readonly #failures = new Map<string, Failure[]>();
  readonly #uploads = new Map<string, { name: string; content: Buffer }>();
  readonly #server: Server;
  readonly #open = new Set<Duplex>();
  #next = 100;

  private constructor() {
    this.#server = createServer(keptConnections, (request, response) => {
      // Who asks may be killed in the middle of it.
      this.#take(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
    this.#server.on("upgrade", (request, socket: Duplex) => {
      if (request.url?.startsWith("/link/")) this.socket.accept(request, socket);
      else socket.destroy();
    });
    this.#server.on("connection", (socket) => {
      this.#open.add(socket);
      socket.once("close", () => this.#open.delete(socket));
    });
  }

  static async start(): Promise<SlackApi> {
    const api = new SlackApi();
    await new Promise<void>((resolve) => void api.#server.listen(0, "127.0.0.1", resolve));
    return api;
  }

  get root(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The messages of the bot. */
  get sent(): Posted[] {
    return this.messages.filter(({ user }) => user === botUser);
  }

  fail(method: string, ...failures: Failure[]): void {
    this.#failures.set(method, [...(this.#failures.get(method) ?? []), ...failures]);
  }

  /** Failures that were ordered, and haven't happened yet. */
  failuresLeft(method: string): number {
    return this.#failures.get(method)?.length ?? 0;
  }

  newTs(): string {
    return `1736380800.${String(this.#next++).padStart(6, "0")}`;
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const part of request) chunks.push(part as Buffer);
    const bytes = Buffer.concat(chunks);
    const [, folder = "", name = ""] = /^\/(api|files|upload)\/([^?]+)/.exec(request.url ?? "") ?? [];
    const token = request.headers.authorization?.replace("Bearer ", "") ?? "";
    if (folder === "files") return this.#giveFile(name, token, response);
    if (folder === "upload") {
      const failed = this.#failures.get("upload")?.shift();
      if (failed) return void request.socket.destroy();
      const upload = this.#uploads.get(name);
      if (upload) upload.content = bytes;
      return void response.writeHead(upload ? 200 : 404).end("OK");
    }
    const form = Object.fromEntries(new URLSearchParams(bytes.toString("utf8")));
    const payload = Object.fromEntries(
      Object.entries(form).map(([key, value]) => [key, /^[[{]/.test(value) ? (JSON.parse(value) as unknown) : value]),
    );
    if (name !== "auth.test" && name !== "apps.connections.open") this.calls.push({ method: name, payload });
    const failure = this.#failures.get(name)?.shift();
    if (failure === "reset") return void request.socket.destroy();
    if (typeof failure === "object" && "status" in failure)
      return void response.writeHead(failure.status).end("<html>");
    if (typeof failure === "object" && "retryAfter" in failure)
      return answer(response, { ok: false, error: "ratelimited" }, 429, { "Retry-After": String(failure.retryAfter) });
    if (typeof failure === "object") return answer(response, { ok: false, error: failure.error });
    const expected = name === "apps.connections.open" ? appToken : botToken;
    const refused = this.refusedTokens.get(token) ?? (token === expected ? undefined : "invalid_auth");
    if (refused !== undefined) return answer(response, { ok: false, error: refused });
    const result = this.#call(name, payload);
    if (failure === "lost") return void request.socket.destroy();
    if (failure === "torn")
      return answerHalf(response, 200, { "Content-Type": "application/json" }, JSON.stringify(result));
    if (failure === "half") {
      response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(result).slice(0, -5));
      return;
    }
    answer(response, result);
  }

  #call(method: string, payload: Record<string, unknown>): Record<string, unknown> {
    const { channel = "", ts = "", text = "", timestamp = "", user = "" } = payload as Record<string, string>;
    switch (method) {
      case "apps.connections.open":
        return { ok: true, url: `${this.root.replace("http", "ws")}/link/?ticket=t${this.#next}&app_id=A0CORTEX` };
      case "auth.test":
        return {
          ok: true,
          url: "https://harbor.slack.com/",
          team: "Harbor",
          user: "cortex",
          team_id: team,
          user_id: botUser,
          bot_id: "B0BOT",
        };
      case "users.info": {
        const name = this.people.get(user);
        return name === undefined
          ? error("user_not_found")
          : { ok: true, user: { id: user, name: "x", profile: { display_name: name } } };
      }
      case "conversations.open":
        return { ok: true, channel: { id: `D${(payload["users"] as string).slice(1)}` } };
      case "conversations.replies": {
        const messages = this.messages.filter((one) => one.channel === channel && (one.thread_ts ?? one.ts) === ts);
        return messages.length === 0 ? error("thread_not_found") : { ok: true, messages, has_more: false };
      }
      case "chat.postMessage":
        return this.#post(payload, text);
      case "chat.postEphemeral":
        return { ok: true, message_ts: this.newTs() };
      case "chat.update": {
        const message = this.messages.find((one) => one.channel === channel && one.ts === ts);
        if (!message) return error("message_not_found");
        Object.assign(message, { text, blocks: payload["blocks"] });
        return { ok: true, channel, ts, text };
      }
      case "reactions.add":
        if (this.reactions.has(`${channel} ${timestamp}`)) return error("already_reacted");
        this.reactions.add(`${channel} ${timestamp}`);
        return { ok: true };
      case "reactions.remove":
        return this.reactions.delete(`${channel} ${timestamp}`) ? { ok: true } : error("no_reaction");
      case "assistant.threads.setStatus":
        return this.#setStatus(payload);
      case "files.info": {
        const name = String(payload["file"]);
        const url_private = `${this.root}/files/${name}`;
        return this.files.has(name) ? { ok: true, file: { id: name, name, url_private } } : error("file_not_found");
      }
      case "files.getUploadURLExternal": {
        const id = `F${this.#next++}`;
        this.#uploads.set(id, { name: String(payload["filename"]), content: Buffer.alloc(0) });
        return { ok: true, upload_url: `${this.root}/upload/${id}`, file_id: id };
      }
      case "files.completeUploadExternal":
        return this.#share(payload);
      default:
        return error("unknown_method");
    }
  }

  #post(payload: Record<string, unknown>, text: string): Record<string, unknown> {
    const { channel = "", thread_ts } = payload as Record<string, string>;
    if (text === "") return error("no_text");
    if (text.length > 40_000) return error("msg_too_long");
    if (!/^[CDG]/.test(channel) || channel === "C404") return error("channel_not_found");
    const thread = thread_ts === undefined ? {} : { thread_ts };
    const message = { channel, ts: this.newTs(), ...thread, user: botUser, text, blocks: payload["blocks"] };
    this.messages.push(message);
    this.statuses.delete(`${channel} ${thread_ts}`);
    return { ok: true, channel, ts: message.ts, message };
  }

  /** The thread may be one that a message hasn't begun yet. An empty status shows nothing. */
  #setStatus({ channel_id, thread_ts, status }: Record<string, unknown>): Record<string, unknown> {
    if (typeof channel_id !== "string" || typeof thread_ts !== "string" || typeof status !== "string")
      return error("invalid_arguments");
    if (!/^[CDG]/.test(channel_id) || channel_id === "C404") return error("channel_not_found");
    const isThere = this.messages.some(({ channel, ts }) => channel === channel_id && ts === thread_ts);
    if (!isThere) return error("invalid_thread_ts");
    if (status === "") this.statuses.delete(`${channel_id} ${thread_ts}`);
    else this.statuses.set(`${channel_id} ${thread_ts}`, status);
    return { ok: true };
  }

  #share({ files, channel_id, thread_ts }: Record<string, unknown>): Record<string, unknown> {
    const thread = thread_ts === undefined ? {} : { thread_ts: thread_ts as string };
    for (const { id, title } of files as { id: string; title: string }[]) {
      const upload = this.#uploads.get(id);
      if (!upload) return error("file_not_found");
      this.shared.push({ channel: channel_id as string, ...thread, name: title, content: upload.content });
    }
    return { ok: true, files };
  }

  /** Without the token it is the page to sign in. */
  #giveFile(name: string, token: string, response: ServerResponse): void {
    const file = this.files.get(name);
    if (!file) return void response.writeHead(404).end();
    if (token !== botToken) return void response.writeHead(200, { "Content-Type": "text/html" }).end("<html>Sign in");
    if (this.#failures.get("file")?.shift())
      return answerHalf(response, 200, { "Content-Type": file.type }, file.content);
    response.writeHead(200, { "Content-Type": file.type }).end(file.content);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#open) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

const error = (code: string) => ({ ok: false, error: code });

function answer(response: ServerResponse, body: object, status = 200, headers: Record<string, string> = {}): void {
  response
    .writeHead(status, { "Content-Type": "application/json; charset=utf-8", ...headers })
    .end(JSON.stringify(body));
}
