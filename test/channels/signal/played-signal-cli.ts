/**
 * Plays the daemon of signal-cli for one account: JSON-RPC and server-sent events in its wire format. It receives only while
 * somebody listens (`--receive-mode on-connection`): what comes meanwhile stays at Signal's. Calls are noted, failures as ordered.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

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

/** The failure of a call: an error of the daemon's, a connection that breaks after it counts, half an answer. */
export type Failure = { code: number; message: string; results?: object[] } | "reset" | "half";

export type WriteOptions = { from?: Account; timestamp?: number } & Record<string, unknown>;

export class PlayedSignalCli implements AsyncDisposable {
  /** All calls but those for our own id. */
  readonly calls: Call[] = [];
  readonly sent: SentMessage[] = [];
  readonly files = new Map<string, Buffer>();
  readonly #failures = new Map<string, Failure[]>();
  #listeners: ServerResponse[] = [];
  #atSignal: string[] = [];
  #now = 1_736_380_800_000;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => void this.#take(request, response));
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
    this.happen(from, { timestamp, dataMessage: { ...emptyData(timestamp), message, ...data } });
    return timestamp;
  }

  /** Something is told of somebody. */
  happen(from: Account, content: Record<string, unknown>): void {
    const source = { source: from.number ?? from.uuid, sourceNumber: from.number, sourceUuid: from.uuid };
    const times = { serverReceivedTimestamp: 1_736_380_800_001, serverDeliveredTimestamp: 1_736_380_800_002 };
    const envelope = { ...source, sourceName: from.name, sourceDevice: 1, ...times, ...content };
    this.tell(JSON.stringify({ envelope, account: ownNumber }));
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
    const answer = (result: object, end = Infinity) => {
      const text = JSON.stringify({ jsonrpc: "2.0", ...result, id });
      response.writeHead(200, { "Content-Type": "application/json" }).end(text.slice(0, end));
    };
    if (account !== ownNumber) return answer(problem(-32602, "Specified account does not exist"));
    if (typeof failure === "object") return answer(problem(failure.code, failure.message, failure.results));
    const result = this.#call(method, rest);
    if (failure === "reset") request.socket.destroy();
    else answer(result, failure === "half" ? 20 : Infinity);
  }

  #hear(account: string | null, response: ServerResponse): void {
    if (account !== ownNumber) return void response.writeHead(400).end();
    response.writeHead(200, { "Content-Type": "text/event-stream" }).flushHeaders();
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
