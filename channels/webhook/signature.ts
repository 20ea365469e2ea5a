/**
 * Signatures of the webhook, both ways, by Standard Webhooks (standardwebhooks.com): HMAC-SHA-256 over `<id>.<timestamp>.<body>`,
 * in base64. For one version the former headers hold as well: over `<timestamp>.<body>`, in hexadecimal. Pure.
 */
import { createHmac, timingSafeEqual } from "node:crypto";

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

/** Why a secret can't be used, or undefined. Any text is a secret; after `whsec_` it is a key in base64. */
export function secretProblem(secret: string): string | undefined {
  if (!secret.startsWith(keyPrefix)) return undefined;
  const text = secret.slice(keyPrefix.length);
  const { length } = Buffer.from(text, "base64");
  const isBase64 = /^[A-Za-z0-9+/]+={0,2}$/.test(text);
  if (isBase64 && length >= keyBytes.least && length <= keyBytes.most) return undefined;
  return `expected ${keyBytes.least} to ${keyBytes.most} bytes in base64 after ${keyPrefix}: make one with echo "${keyPrefix}$(openssl rand -base64 32)"`;
}

type Message = { id: string; timestamp: string; body: string | Uint8Array };

/** The value of the header `webhook-signature`. */
export function signatureOf(secret: string, { id, timestamp, body }: Message): string {
  const key = secret.startsWith(keyPrefix) ? Buffer.from(secret.slice(keyPrefix.length), "base64") : secret;
  return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64")}`;
}

function formerSignatureOf(secret: string, { timestamp, body }: Omit<Message, "id">): string {
  return `sha256=${createHmac("sha256", secret).update(`${timestamp}.`).update(body).digest("hex")}`;
}

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
    [formerSignatureHeader]: formerSignatureOf(secret, { timestamp, body }),
  };
}

/** `id`: what its sender calls the message, the same at each try. Absent with the former headers: `stamp` is one of a kind then. */
export type VerifiedMessage =
  | { problem: string }
  | { problem?: undefined; id: string }
  | { problem?: undefined; stamp: string };

/** Checks the signature of a message that came. The order of the checks is the same for all: a problem doesn't help to guess. */
export function verifySignature(
  secret: string,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  body: Uint8Array,
  nowMs: number,
): VerifiedMessage {
  const single = (name: string) => (typeof headers[name] === "string" ? headers[name] : undefined);
  const signature = single(signatureHeader);
  if (signature === undefined && single(formerSignatureHeader) !== undefined)
    return verifyFormer(
      secret,
      { timestamp: single(formerTimestampHeader), signature: single(formerSignatureHeader) },
      body,
      nowMs,
    );
  const [id, timestamp] = [single(idHeader), single(timestampHeader)];
  if (id === undefined || timestamp === undefined || signature === undefined)
    return { problem: `expected the headers ${idHeader}, ${timestampHeader} and ${signatureHeader}` };
  if (id === "" || id.length > longestId) return { problem: `${idHeader}: expected 1 to ${longestId} characters` };
  if (!isSeconds(timestamp)) return { problem: `${timestampHeader}: expected seconds since 1970` };
  const expected = signatureOf(secret, { id, timestamp, body });
  // While a key is changed, a message has a signature of each.
  if (!signature.split(" ").some((one) => isEqual(one, expected)))
    return {
      problem: `${signatureHeader}: this isn't v1,<HMAC-SHA-256 of "<${idHeader}>.<${timestampHeader}>.<body>" with the secret, in base64>`,
    };
  if (!isNear(timestamp, nowMs)) return { problem: `${timestampHeader}: more than ${windowSeconds} s from now` };
  return { id };
}

function verifyFormer(
  secret: string,
  { timestamp, signature = "" }: { timestamp: string | undefined; signature: string | undefined },
  body: Uint8Array,
  nowMs: number,
): VerifiedMessage {
  if (timestamp === undefined)
    return { problem: `expected the headers ${formerTimestampHeader} and ${formerSignatureHeader}` };
  if (!isSeconds(timestamp)) return { problem: `${formerTimestampHeader}: expected seconds since 1970` };
  if (!isEqual(signature, formerSignatureOf(secret, { timestamp, body })))
    return {
      problem: `${formerSignatureHeader}: this isn't sha256=<HMAC-SHA-256 of "<timestamp>.<body>" with the secret, in hexadecimal>`,
    };
  if (!isNear(timestamp, nowMs)) return { problem: `${formerTimestampHeader}: more than ${windowSeconds} s from now` };
  return { stamp: `${timestamp}.${signature}` };
}

const isSeconds = (timestamp: string) => /^\d{1,12}$/.test(timestamp);

const isNear = (timestamp: string, nowMs: number) => Math.abs(nowMs / 1000 - Number(timestamp)) <= windowSeconds;

function isEqual(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
