/**
 * Signatures of the webhook, both ways, by Standard Webhooks (standardwebhooks.com): HMAC-SHA-256 over `<id>.<timestamp>.<body>`,
 * in base64. For one version the former headers hold as well: over `<timestamp>.<body>`, in hexadecimal. Pure.
 */
import { createHmac, type Hmac, timingSafeEqual } from "node:crypto";

const idHeader = "webhook-id";
const timestampHeader = "webhook-timestamp";
const signatureHeader = "webhook-signature";

const formerTimestampHeader = "x-cortex-timestamp";
const formerSignatureHeader = "x-cortex-signature";

/** Most seconds between the sender's clock and ours; a signature is worth nothing after that. */
const windowSeconds = 300;

const longestId = 256;

const keyPrefix = "whsec_";
/** Bytes of a key, from Standard Webhooks. */
const keyBytes = { least: 24, most: 64 };

/** Bytes of a text that is no key. */
const leastTextBytes = 16;

const makeOne = `make one with echo "${keyPrefix}$(openssl rand -base64 32)"`;

/** Why a secret can't be used, or undefined. Any text is a secret; after `whsec_` it is a key in base64. */
export function secretProblem(secret: string): string | undefined {
  if (!secret.startsWith(keyPrefix)) return undefined;
  const text = secret.slice(keyPrefix.length);
  const { length } = Buffer.from(text, "base64");
  const isBase64 = /^[A-Za-z0-9+/]+={0,2}$/.test(text);
  if (isBase64 && length >= keyBytes.least && length <= keyBytes.most) return undefined;
  return `expected ${keyBytes.least} to ${keyBytes.most} bytes in base64 after ${keyPrefix}: ${makeOne}`;
}

/** A warning of a secret that somebody may find out by trying, from what they saw signed with it; or undefined. */
export function secretWarning(secret: string): string | undefined {
  if (Buffer.byteLength(secret) >= leastTextBytes) return undefined;
  return `shorter than ${leastTextBytes} bytes, it can be guessed: ${makeOne}`;
}

type Message = { id: string; timestamp: string; body: string | Uint8Array };

/** The value of the header `webhook-signature`. */
export const signatureOf = (secret: string, { body, ...message }: Message): string =>
  versioned(hmacOf(secret, message).update(body));

function hmacOf(secret: string, { id, timestamp }: Omit<Message, "body">): Hmac {
  const key = secret.startsWith(keyPrefix) ? Buffer.from(secret.slice(keyPrefix.length), "base64") : secret;
  return createHmac("sha256", key).update(`${id}.${timestamp}.`);
}

const versioned = (hmac: Hmac) => `v1,${hmac.digest("base64")}`;

const formerHmacOf = (secret: string, timestamp: string) => createHmac("sha256", secret).update(`${timestamp}.`);

const formerly = (hmac: Hmac) => `sha256=${hmac.digest("hex")}`;

/** The headers of a message that goes out, the former ones included. */
export function signedHeaders(
  secret: string,
  { id, body }: Omit<Message, "timestamp">,
  nowMs: number,
): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1000));
  return {
    [idHeader]: id,
    [timestampHeader]: timestamp,
    [signatureHeader]: signatureOf(secret, { id, timestamp, body }),
    [formerTimestampHeader]: timestamp,
    [formerSignatureHeader]: formerly(formerHmacOf(secret, timestamp).update(body)),
  };
}

/**
 * @field stamp one of a kind for each signature
 * @field id what its sender calls the message, the same at each try. Absent with the former headers
 */
export type VerifiedMessage = { problem: string } | { problem?: undefined; stamp: string; id?: string };

/** A signature that is checked while its body comes. */
export type SignatureCheck = { update: (part: Uint8Array) => void; end: () => VerifiedMessage };

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Begins to check a signature. The order of the checks is the same for all: a problem doesn't help to guess. */
export function checkSignature(secret: string, headers: Headers, nowMs: number): SignatureCheck {
  const single = (name: string) => (typeof headers[name] === "string" ? headers[name] : undefined);
  const signature = single(signatureHeader);
  const former = single(formerSignatureHeader);
  if (signature === undefined && former !== undefined)
    return checkFormer(secret, { timestamp: single(formerTimestampHeader), signature: former }, nowMs);
  const [id, timestamp] = [single(idHeader), single(timestampHeader)];
  if (id === undefined || timestamp === undefined || signature === undefined)
    return refused(`expected the headers ${idHeader}, ${timestampHeader} and ${signatureHeader}`);
  if (id === "" || id.length > longestId) return refused(`${idHeader}: expected 1 to ${longestId} characters`);
  if (!isSeconds(timestamp)) return refused(`${timestampHeader}: expected seconds since 1970`);
  const hmac = hmacOf(secret, { id, timestamp });
  const end = (): VerifiedMessage => {
    const expected = versioned(hmac);
    // While a key is changed, a message has a signature of each.
    if (!signature.split(" ").some((one) => isEqual(one, expected)))
      return {
        problem: `${signatureHeader}: this isn't v1,<HMAC-SHA-256 of "<${idHeader}>.<${timestampHeader}>.<body>" with the secret, in base64>`,
      };
    if (!isNear(timestamp, nowMs)) return { problem: `${timestampHeader}: more than ${windowSeconds} s from now` };
    return { id, stamp: `${timestamp}.${expected}` };
  };
  return { update: (part) => void hmac.update(part), end };
}

function checkFormer(
  secret: string,
  { timestamp, signature }: { timestamp: string | undefined; signature: string },
  nowMs: number,
): SignatureCheck {
  if (timestamp === undefined)
    return refused(`expected the headers ${formerTimestampHeader} and ${formerSignatureHeader}`);
  if (!isSeconds(timestamp)) return refused(`${formerTimestampHeader}: expected seconds since 1970`);
  const hmac = formerHmacOf(secret, timestamp);
  const end = (): VerifiedMessage => {
    if (!isEqual(signature, formerly(hmac)))
      return {
        problem: `${formerSignatureHeader}: this isn't sha256=<HMAC-SHA-256 of "<timestamp>.<body>" with the secret, in hexadecimal>`,
      };
    if (!isNear(timestamp, nowMs))
      return { problem: `${formerTimestampHeader}: more than ${windowSeconds} s from now` };
    return { stamp: `${timestamp}.${signature}` };
  };
  return { update: (part) => void hmac.update(part), end };
}

const refused = (problem: string): SignatureCheck => ({ update: () => {}, end: () => ({ problem }) });

const isSeconds = (timestamp: string) => /^\d{1,12}$/.test(timestamp);

const isNear = (timestamp: string, nowMs: number) => Math.abs(nowMs / 1000 - Number(timestamp)) <= windowSeconds;

function isEqual(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
