/** How messages of the webhook are signed, both ways: HMAC-SHA-256 over `<timestamp>.<body>`, in hexadecimal. Pure. */
import { createHmac, timingSafeEqual } from "node:crypto";

export const timestampHeader = "x-cortex-timestamp";
export const signatureHeader = "x-cortex-signature";

/** How far the sender's clock may be from ours, in s; a signature is worth nothing after that. */
export const windowSeconds = 300;

/** @param timestamp in s */
export function signatureOf(secret: string, timestamp: string, body: string | Uint8Array): string {
  return `sha256=${createHmac("sha256", secret).update(`${timestamp}.`).update(body).digest("hex")}`;
}

/** The headers of a message that goes out. */
export function signed(secret: string, body: string, nowMs: number): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1000));
  return { [timestampHeader]: timestamp, [signatureHeader]: signatureOf(secret, timestamp, body) };
}

export type Signed = { timestamp: string | undefined; signature: string | undefined; body: Uint8Array };

/** Why a message isn't taken, or undefined. What is said doesn't help whoever guesses: the order of the checks is the same for all. */
export function signatureProblem(
  secret: string,
  { timestamp, signature, body }: Signed,
  nowMs: number,
): string | undefined {
  if (timestamp === undefined || signature === undefined)
    return `expected the headers ${timestampHeader} and ${signatureHeader}`;
  if (!/^\d{1,12}$/.test(timestamp)) return `${timestampHeader}: expected seconds since 1970`;
  const expected = Buffer.from(signatureOf(secret, timestamp, body));
  const given = Buffer.from(signature);
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    return `${signatureHeader}: this isn't sha256=<HMAC-SHA-256 of "<timestamp>.<body>" with the secret, in hexadecimal>`;
  if (Math.abs(nowMs / 1000 - Number(timestamp)) > windowSeconds)
    return `${timestampHeader}: more than ${windowSeconds} s from now`;
  return undefined;
}
