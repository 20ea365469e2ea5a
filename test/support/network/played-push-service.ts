/** A push service and the browsers behind it, on loopback: it takes what RFC 8030 says, checks who sends it (RFC 8292), and opens it as a browser does (RFC 8291, RFC 8188). */
import { createDecipheriv, createECDH, createPublicKey, type ECDH, hkdfSync, randomBytes, verify } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { keptConnections } from "./kept-connections.ts";

/** The notice that a browser was sent, and how it came. */
export type Told = { browser: string; topic: string; urgency: string; ttl: number; data: Record<string, unknown> };

/** The answer with which it refuses; `null`: none, and the connection stays open. */
export type Refusal = { status: number; headers?: Record<string, string> } | null;

type Browser = { name: string; pair: ECDH; auth: Buffer };

export class PlayedPushService implements AsyncDisposable {
  readonly told: Told[] = [];
  /** The faults of what wasn't as the standards want it. */
  readonly wrong: string[] = [];
  /** Answers of the next requests. */
  readonly refusals: Refusal[] = [];
  readonly #browsers = new Map<string, Browser>();
  readonly #server = createServer(keptConnections, (request, response) => {
    // Who sends may be killed in the middle of it.
    this.#take(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  #requests = 0;

  static async start(): Promise<PlayedPushService> {
    const service = new PlayedPushService();
    service.#server.listen(0, "127.0.0.1");
    await once(service.#server, "listening");
    return service;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get requests(): number {
    return this.#requests;
  }

  /** Subscribes as a browser would: returns what it would hand to its page. */
  subscribe(name: string): { endpoint: string; keys: { p256dh: string; auth: string } } {
    const pair = createECDH("prime256v1");
    pair.generateKeys();
    const [auth, path] = [randomBytes(16), `/push/${randomBytes(12).toString("base64url")}`];
    this.#browsers.set(path, { name, pair, auth });
    const keys = { p256dh: pair.getPublicKey("base64url"), auth: auth.toString("base64url") };
    return { endpoint: `${this.url}${path}`, keys };
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#requests++;
    const refusal = this.refusals.shift();
    const body = await buffer(request);
    if (refusal === null) return;
    if (refusal) {
      response.writeHead(refusal.status, refusal.headers).end();
      return;
    }
    const browser = this.#browsers.get(request.url ?? "");
    try {
      if (!browser) throw new Error(`no browser at ${request.url}`);
      const { headers, method } = request;
      if (method !== "POST") throw new Error(`method ${method}`);
      if (headers["content-encoding"] !== "aes128gcm") throw new Error(`encoding ${headers["content-encoding"]}`);
      checkSender(String(headers.authorization), this.url);
      const topic = String(headers["topic"]);
      if (!/^[A-Za-z0-9_-]{1,32}$/.test(topic)) throw new Error(`topic ${topic}`);
      const data = JSON.parse(opened(browser, body)) as Record<string, unknown>;
      const [urgency, ttl] = [String(headers["urgency"]), Number(headers["ttl"])];
      this.told.push({ browser: browser.name, topic, urgency, ttl, data });
      response.writeHead(201, { Location: `${this.url}/message/${this.#requests}` }).end();
    } catch (error) {
      this.wrong.push(String(error));
      response.writeHead(400).end();
    }
  }
}

/** RFC 8292: a token for this origin, for at most a day, signed by the key that it names. */
function checkSender(authorization: string, origin: string): void {
  const [, token = "", key = ""] = /^vapid t=([^,]+), ?k=(.+)$/.exec(authorization) ?? [];
  const [head = "", claims = "", signature = ""] = token.split(".");
  const point = Buffer.from(key, "base64url");
  if (point.length !== 65) throw new Error(`no key in ${authorization}`);
  const jwk = {
    kty: "EC",
    crv: "P-256",
    x: point.subarray(1, 33).toString("base64url"),
    y: point.subarray(33).toString("base64url"),
  };
  const signed = {
    key: createPublicKey({ key: jwk, format: "jwk" }),
    dsaEncoding: "ieee-p1363" as const,
  };
  if (!verify("sha256", Buffer.from(`${head}.${claims}`), signed, Buffer.from(signature, "base64url")))
    throw new Error("the token isn't signed by its key");
  const { aud, exp, sub } = JSON.parse(Buffer.from(claims, "base64url").toString()) as Record<string, unknown>;
  const left = Number(exp) - Date.now() / 1000;
  if (aud !== origin || left <= 0 || left > 86_400 || !/^(mailto:|https:)/.test(String(sub)))
    throw new Error(`claims ${JSON.stringify({ aud, exp, sub })}`);
}

/** One record of RFC 8188, with the key of RFC 8291. */
function opened({ pair, auth }: Browser, body: Buffer): string {
  const salt = body.subarray(0, 16);
  const idLength = body.readUInt8(20);
  const sender = body.subarray(21, 21 + idLength);
  const sealed = body.subarray(21 + idLength);
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), pair.getPublicKey(), sender]);
  const secret = Buffer.from(hkdfSync("sha256", pair.computeSecret(sender), auth, info, 32));
  const derived = (what: string, length: number) =>
    Buffer.from(hkdfSync("sha256", secret, salt, Buffer.from(`Content-Encoding: ${what}\0`), length));
  const decipher = createDecipheriv("aes-128-gcm", derived("aes128gcm", 16), derived("nonce", 12));
  decipher.setAuthTag(sealed.subarray(-16));
  const plain = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
  const end = plain.lastIndexOf(2);
  if (end === -1) throw new Error("the last record has no delimiter");
  return plain.subarray(0, end).toString();
}
