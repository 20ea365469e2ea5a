/**
 * Plays the daemon of signal-cli for one account: JSON-RPC and server-sent events in its wire format. It receives only while
 * somebody listens (`--receive-mode on-connection`): what comes meanwhile stays at Signal's. Calls are noted, failures as ordered.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { answerHalf } from "../../support/network/torn.ts";
import { keptConnections } from "../../support/network/kept-connections.ts";

export const ownNumber = "+491700000001";
export const ownUuid = "0f0f0f0f-1111-4222-8333-444444444444";
export const groupId = "Pmpi+EfPWmsxiomLe9Nx2XF9HOE483p6iKiFj65iMwI=";

export type Account = { number: string | null; uuid: string; name: string };
export const ada: Account = { number: "+491700000017", uuid: "aaaaaaaa-1111-4222-8333-444444444444", name: "Ada" };
/** Hides the number. */
export const bob: Account = { number: null, uuid: "bbbbbbbb-1111-4222-8333-444444444444", name: "Bob" };

export type Call = { method: string; params: Record<string, unknown> };
export type SentFile = { name: string; mime: string; bytes: Buffer };
export type SentMessage = { to: string; text: string; styles: string[]; files: SentFile[]; timestamp: number };

/**
 * The failure of a call: an error of the daemon's; a connection that breaks once it counts, before an answer or in the middle of it
 * (`torn`); an answer that ends in its middle as if it were whole (`half`).
 */
export type Failure = { code: number; message: string; results?: object[] } | "reset" | "torn" | "half";

export type WriteOptions = { from?: Account; timestamp?: number } & Record<string, unknown>;

export class PlayedSignalCli implements AsyncDisposable {
  /** All calls but those for our own id. */
  readonly calls: Call[] = [];
  readonly sent: SentMessage[] = [];
  readonly files = new Map<string, Buffer>();
  /** The account that the daemon has. */
  account = ownNumber;
  /** Answers to sends wait for it. */
  answered: Promise<unknown> = Promise.resolve();
  readonly #failures = new Map<string, Failure[]>();
  /** How often somebody has begun to listen. */
  listenings = 0;
  #listeners: ServerResponse[] = [];
  #atSignal: string[] = [];
  #now = 1_736_380_800_000;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer(keptConnections, (request, response) => {
      // Who asks may be killed in the middle of it.
      this.#take(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
  }

  static async start(): Promise<PlayedSignalCli> {
    const daemon = new PlayedSignalCli();
    await daemon.listen(0);
    return daemon;
  }

  listen(port: number): Promise<void> {
    return new Promise((resolve) => void this.#server.listen(port, "127.0.0.1", resolve));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get texts(): string[] {
    return this.sent.map(({ text }) => text);
  }

  get isHeard(): boolean {
    return this.#listeners.length > 0;
  }

  called(method: string): Record<string, unknown>[] {
    return this.calls.filter((call) => call.method === method).map(({ params }) => params);
  }

  fail(method: string, ...failures: Failure[]): void {
    this.#failures.set(method, [...(this.#failures.get(method) ?? []), ...failures]);
  }

  /** A user writes. Returns when, which is the message's name. */
  write(message: string, { from = ada, timestamp = this.tick(), ...data }: WriteOptions = {}): number {
    this.happen(from, messageOf(message, timestamp, data));
    return timestamp;
  }

  /** Something is told of somebody. */
  happen(from: Account, content: Record<string, unknown>): void {
    this.tell(eventOf(from, content));
  }

  /** An event as it stands. */
  tell(data: string): void {
    const [listener] = this.#listeners;
    if (listener) listener.write(`event:receive\ndata:${data}\n\n`);
    else this.#atSignal.push(data);
  }

  /** Somebody reacts to a message of ours. */
  react(emoji: string, targetSentTimestamp: number, from = ada, more: Record<string, unknown> = {}): void {
    const timestamp = this.tick();
    const target = { targetAuthor: ownNumber, targetAuthorNumber: ownNumber, targetAuthorUuid: ownUuid };
    const reaction = { emoji, ...target, targetSentTimestamp, isRemove: false, ...more };
    this.happen(from, { timestamp, dataMessage: { ...emptyData(timestamp), reaction } });
  }

  tick(): number {
    return ++this.#now;
  }

  /** Half an event, and the connection breaks. */
  async tearEvent(data: string): Promise<void> {
    const [listener] = this.#listeners.splice(0);
    const half = `event:receive\ndata:${data}`.slice(0, data.length >> 1);
    await new Promise<void>((resolve) => void listener?.write(half, () => resolve()));
    listener?.destroy();
  }

  /** Breaks the connections of listeners. */
  drop(): void {
    for (const listener of this.#listeners) listener.destroy();
    this.#listeners = [];
  }

  /** The daemon ends. */
  async close(): Promise<void> {
    this.drop();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#server.listening) await this.close();
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://daemon");
    if (pathname === "/api/v1/check") return void response.writeHead(200).end();
    if (pathname === "/api/v1/events") return this.#hear(searchParams.get("account"), response);
    if (pathname !== "/api/v1/rpc") return void response.writeHead(404).end();
    if (!request.headers["content-type"]?.startsWith("application/json")) return void response.writeHead(415).end();
    const chunks: Buffer[] = [];
    for await (const part of request) chunks.push(part as Buffer);
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString("utf8")) as { id: string } & Call;
    const { account, ...rest } = params;
    const failure = this.#failures.get(method)?.shift();
    if (method !== "getUserStatus") this.calls.push({ method, params: rest });
    const answer = (result: object, how?: Failure) => {
      const text = JSON.stringify({ jsonrpc: "2.0", ...result, id });
      const headers = { "Content-Type": "application/json" };
      if (how === "torn") answerHalf(response, 200, headers, text);
      else response.writeHead(200, headers).end(text.slice(0, how === "half" ? 20 : Infinity));
    };
    if (account !== this.account) return answer(problem(-32602, "Specified account does not exist"));
    if (typeof failure === "object") return answer(problem(failure.code, failure.message, failure.results));
    const result = this.#call(method, rest);
    if (method === "send") await this.answered;
    if (failure === "reset") request.socket.destroy();
    else answer(result, failure);
  }

  #hear(account: string | null, response: ServerResponse): void {
    if (account !== this.account) return void response.writeHead(400).end();
    response.writeHead(200, { "Content-Type": "text/event-stream" }).flushHeaders();
    this.listenings++;
    this.#listeners.push(response);
    response.on("close", () => (this.#listeners = this.#listeners.filter((one) => one !== response)));
    response.write(":\n");
    for (const data of this.#atSignal.splice(0)) this.tell(data);
  }

  #call(method: string, params: Record<string, unknown>): object {
    switch (method) {
      case "getUserStatus":
        return { result: [{ recipient: ownNumber, number: ownNumber, uuid: ownUuid, isRegistered: true }] };
      case "send":
        return this.#send(params);
      case "getAttachment": {
        const file = this.files.get(String(params["id"]));
        if (!params["recipient"] === !params["groupId"]) return problem(-1, "expected a recipient or a group");
        if (!file) return problem(-1, `Could not find attachment with ID: ${String(params["id"])}`);
        return { result: { data: file.toString("base64") } };
      }
      case "sendReaction":
      case "sendTyping":
        return { result: { timestamp: this.tick(), results: [] } };
      default:
        return problem(-32601, "Method not implemented");
    }
  }

  #send({ recipient, groupId: group, message = "", textStyles = [], attachments = [] }: SendParams): object {
    const to = recipient ?? group;
    if (to === undefined) return problem(-1, "No recipients given");
    const recipientAddress = { uuid: null, number: to, username: null };
    if (to === "+491700000404")
      return problem(-1, "Failed to send message", [{ recipientAddress, type: "UNREGISTERED_FAILURE" }]);
    if (message === "" && attachments.length === 0) return problem(-1, "Sending empty message is not allowed");
    const wrong = textStyles.find((style) => !isStyleOf(style, message));
    if (wrong !== undefined) return problem(-1, `Invalid style: ${wrong}`);
    const timestamp = this.tick();
    this.sent.push({ to, text: message, styles: textStyles, files: attachments.map(fileOf), timestamp });
    return { result: { timestamp, results: [{ recipientAddress, type: "SUCCESS" }] } };
  }
}

type SendParams = {
  recipient?: string;
  groupId?: string;
  message?: string;
  textStyles?: string[];
  attachments?: string[];
};

/** The event of a message, as the daemon tells of it. */
export const messageEvent = (message: string, timestamp: number): string => eventOf(ada, messageOf(message, timestamp));

const messageOf = (message: string, timestamp: number, data: Record<string, unknown> = {}) => ({
  timestamp,
  dataMessage: { ...emptyData(timestamp), message, ...data },
});

function eventOf(from: Account, content: Record<string, unknown>): string {
  const source = { source: from.number ?? from.uuid, sourceNumber: from.number, sourceUuid: from.uuid };
  const times = { serverReceivedTimestamp: 1_736_380_800_001, serverDeliveredTimestamp: 1_736_380_800_002 };
  const envelope = { ...source, sourceName: from.name, sourceDevice: 1, ...times, ...content };
  return JSON.stringify({ envelope, account: ownNumber });
}

const emptyData = (timestamp: number) => ({ timestamp, message: null, expiresInSeconds: 0, viewOnce: false });

function isStyleOf(style: string, message: string): boolean {
  const [, start, length] = /^(\d+):(\d+):(?:BOLD|ITALIC|SPOILER|STRIKETHROUGH|MONOSPACE)$/.exec(style) ?? [];
  return start !== undefined && Number(start) + Number(length) <= message.length;
}

/** As signal-cli reads RFC 2397: parameters are escaped as in addresses. */
function fileOf(uri: string): SentFile {
  const [, mime = "", name = "", data = ""] = /^data:([^;]+\/[^;]+);filename=([^;,]+);base64,(.+)$/.exec(uri) ?? [];
  return { mime, name: decodeURIComponent(name), bytes: Buffer.from(data, "base64") };
}

const problem = (code: number, message: string, results?: object[]) => ({
  error: { code, message, data: results ? { response: { timestamp: 1, results } } : null },
});
