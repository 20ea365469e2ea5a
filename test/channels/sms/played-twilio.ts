/**
 * Plays Twilio for one account: its HTTP API for messages and media, in its wire format, and the requests that it posts to a
 * webhook, signed. Calls are noted, failures as they are ordered.
 */
import { createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { answerHalf, postHalf } from "../../support/network/torn.ts";
import { keptConnections } from "../../support/network/kept-connections.ts";

export const accountSid = `AC${"0a".repeat(16)}`;
export const authToken = "9f8e7d6c5b4a39281706f5e4d3c2b1a0";
export const ownNumber = "+15005550006";
export const publicUrl = "https://sms.example.com/twilio";

export type Sent = { sid: string; to: string; from: string; text: string; mediaUrl: string | null; statusUrl: string };

/** A failure that answers a call instead. */
export type Failure =
  | { status: number; code: number; message: string; headers?: Record<string, string> }
  /** The connection breaks, once the message counts: before an answer, or in the middle of it. */
  | "reset"
  | "torn"
  /** The message counts, and the answer ends in its middle as if it were whole. */
  | "half";

export type Media = { content: Buffer; type: string };

export class PlayedTwilio implements AsyncDisposable {
  /** The messages that were accepted. */
  readonly sent: Sent[] = [];
  /** All calls, with what they were authorized by. */
  readonly calls: { path: string; authorization: string | undefined }[] = [];
  /** The next failures of calls that send. */
  readonly failures: Failure[] = [];
  /** The next file that is fetched breaks off in the middle. */
  tearsFile = false;
  /** The token that is taken: another one than the account's refuses it. */
  token = authToken;
  /** The answers to calls that send wait for it. */
  answered: Promise<unknown> = Promise.resolve();
  /** Told of each message that was accepted. */
  onSent: (sent: Sent) => Promise<void> = async () => {};
  /** Where the adapter listens. */
  webhook = "";
  readonly #media = new Map<string, Media>();
  readonly #server: Server;
  #next = 1;

  private constructor() {
    this.#server = createServer(keptConnections, (request, response) => {
      // Who asks may be killed in the middle of it.
      this.#take(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
  }

  static async start(): Promise<PlayedTwilio> {
    const twilio = new PlayedTwilio();
    await new Promise<void>((resolve) => void twilio.#server.listen(0, "127.0.0.1", resolve));
    return twilio;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get texts(): string[] {
    return this.sent.map(({ text }) => text);
  }

  fail(...failures: Failure[]): void {
    this.failures.push(...failures);
  }

  newSid(kind = "SM"): string {
    return `${kind}${String(this.#next++).padStart(32, "0")}`;
  }

  /** Stores a file. Returns its address. */
  store(media: Media): string {
    const sid = this.newSid("ME");
    this.#media.set(sid, media);
    return `${this.url}/2010-04-01/Accounts/${accountSid}/Messages/${this.newSid("MM")}/Media/${sid}`;
  }

  /** A user writes. Returns the id of the message, and the webhook's answer. */
  async write(
    text: string,
    {
      user = "+491700000017",
      media = [],
      sid = this.newSid(media.length > 0 ? "MM" : "SM"),
      more = {},
    }: WriteOptions = {},
  ): Promise<{ sid: string; status: number; body: string; headers: Headers }> {
    return { sid, ...(await this.post(publicUrl, messageForm(text, user, sid, media, more))) };
  }

  /** A user writes, and the connection breaks in the middle of that. */
  async writeHalf(text: string, user: string, sid: string): Promise<void> {
    const form = messageForm(text, user, sid);
    const headers = {
      "X-Twilio-Signature": signatureOf(publicUrl, form),
      "Content-Type": "application/x-www-form-urlencoded",
    };
    await postHalf(this.behind(publicUrl), headers, new URLSearchParams(form).toString());
  }

  /** Tells what became of a message. Returns the status of the answer. */
  async report({ sid, statusUrl, to }: Sent, status: string, code?: number): Promise<number> {
    const form = {
      SmsSid: sid,
      SmsStatus: status,
      MessageStatus: status,
      To: to,
      MessageSid: sid,
      AccountSid: accountSid,
      From: ownNumber,
      ApiVersion: "2010-04-01",
      ...(code === undefined ? {} : { ErrorCode: String(code) }),
    };
    return (await this.post(statusUrl, form)).status;
  }

  /** Posts a form as Twilio does, to what stands behind a public address. */
  async post(
    url: string,
    form: Record<string, string>,
    signature = signatureOf(url, form),
  ): Promise<{ status: number; body: string; headers: Headers }> {
    const response = await fetch(this.behind(url), {
      method: "POST",
      body: new URLSearchParams(form),
      headers: { "X-Twilio-Signature": signature, "User-Agent": "TwilioProxy/1.1" },
    });
    return { status: response.status, body: await response.text(), headers: response.headers };
  }

  /** The adapter's address of a public one, as a proxy would have it. */
  behind(url: string): string {
    return this.webhook + new URL(url).pathname;
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const part of request) chunks.push(part as Buffer);
    const { pathname } = new URL(request.url ?? "", this.url);
    const { authorization } = request.headers;
    this.calls.push({ path: pathname, authorization });
    const account = `/2010-04-01/Accounts/${accountSid}`;
    // The place where a file is stored asks for no name.
    if (pathname.startsWith("/stored/")) return this.#give(pathname.slice("/stored/".length), response);
    if (authorization !== `Basic ${Buffer.from(`${accountSid}:${this.token}`).toString("base64")}`)
      return problem(response, { status: 401, code: 20003, message: "Authenticate" });
    if (pathname === `${account}.json`) return answer(response, 200, { sid: accountSid, status: "active" });
    if (pathname.includes("/Media/"))
      return void response.writeHead(307, { Location: `/stored/${pathname.split("/").at(-1)}` }).end();
    if (pathname !== `${account}/Messages.json` || request.method !== "POST")
      return problem(response, { status: 404, code: 20404, message: "The requested resource was not found" });
    await this.#send(new URLSearchParams(Buffer.concat(chunks).toString("utf8")), request, response);
  }

  async #send(form: URLSearchParams, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const failure = this.failures.shift();
    if (typeof failure === "object") return problem(response, failure);
    const [to, from, text, mediaUrl] = ["To", "From", "Body", "MediaUrl"].map((name) => form.get(name));
    if (!to || !from)
      return problem(response, { status: 400, code: 21604, message: "A 'To' phone number is required." });
    if (to === "+15005550001")
      return problem(response, { status: 400, code: 21211, message: `Invalid 'To' Phone Number: ${to}` });
    if (!text && !mediaUrl)
      return problem(response, { status: 400, code: 21602, message: "Message body is required." });
    if ((text?.length ?? 0) > 1600)
      return problem(response, {
        status: 400,
        code: 21617,
        message: "The concatenated message body exceeds the 1600 character limit",
      });
    const sid = this.newSid(mediaUrl ? "MM" : "SM");
    const sent = {
      sid,
      to,
      from,
      text: text ?? "",
      mediaUrl: mediaUrl ?? null,
      statusUrl: form.get("StatusCallback") ?? "",
    };
    this.sent.push(sent);
    void this.onSent(sent);
    await this.answered;
    if (failure === "reset") return void request.socket.destroy();
    const body = {
      sid,
      account_sid: accountSid,
      to,
      from,
      body: text,
      status: "queued",
      error_code: null,
      error_message: null,
    };
    if (failure === "torn")
      return answerHalf(response, 201, { "Content-Type": "application/json" }, JSON.stringify(body));
    if (failure === "half") return void response.writeHead(201).end(JSON.stringify(body).slice(0, 20));
    answer(response, 201, body);
  }

  #give(sid: string, response: ServerResponse): void {
    const media = this.#media.get(sid);
    if (!media) return void response.writeHead(404).end();
    const headers = { "Content-Type": media.type };
    if (this.tearsFile) answerHalf(response, 200, headers, media.content);
    else response.writeHead(200, headers).end(media.content);
    this.tearsFile = false;
  }

  /** Breaks the connections that the adapter has open. */
  drop(): void {
    this.#server.closeAllConnections();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

export type WriteOptions = {
  user?: string;
  media?: { url: string; type: string }[];
  sid?: string;
  more?: Record<string, string>;
};

/** A message as Twilio posts it. */
function messageForm(
  text: string,
  user: string,
  sid: string,
  media: NonNullable<WriteOptions["media"]> = [],
  more: Record<string, string> = {},
): Record<string, string> {
  return {
    ToCountry: "US",
    SmsMessageSid: sid,
    NumMedia: String(media.length),
    SmsSid: sid,
    Body: text,
    FromCountry: "DE",
    To: ownNumber,
    NumSegments: "1",
    MessageSid: sid,
    AccountSid: accountSid,
    From: user,
    ApiVersion: "2010-04-01",
    ...Object.fromEntries(
      media.flatMap(({ url, type }, index) => [
        [`MediaUrl${index}`, url],
        [`MediaContentType${index}`, type],
      ]),
    ),
    ...more,
  };
}

/** As Twilio's documentation has it: the address, then each name and value in the order of the names. */
export function signatureOf(url: string, form: Record<string, string>, token = authToken): string {
  const fields = Object.entries(form).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return createHmac("sha1", token)
    .update(url + fields.flat().join(""))
    .digest("base64");
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}

function problem(response: ServerResponse, { status, code, message, headers }: Exclude<Failure, string>): void {
  const more_info = `https://www.twilio.com/docs/errors/${code}`;
  response
    .writeHead(status, { "Content-Type": "application/json", ...headers })
    .end(JSON.stringify({ code, message, more_info, status }));
}
