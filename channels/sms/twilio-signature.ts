/**
 * Signature of Twilio's requests, `X-Twilio-Signature`: HMAC-SHA-1 with the account's auth token over the address and the sorted
 * parameters of the form, each name followed by its value, in base64. Pure.
 */
import { createHmac, timingSafeEqual } from "node:crypto";

/** @param url as it was given to Twilio */
export function twilioSignature(token: string, url: string, form: URLSearchParams): string {
  const names = [...new Set(form.keys())].toSorted();
  // A name that comes several times counts once with each value.
  const signed = names.map((name) => [...new Set(form.getAll(name))].toSorted().map((value) => name + value));
  return createHmac("sha1", token)
    .update(url + signed.flat().join(""))
    .digest("base64");
}

/** Whether a signature fits one of the forms in which an address may have been given, with its port or without. */
export function isSigned(given: unknown, token: string, urls: readonly string[], form: URLSearchParams): boolean {
  if (typeof given !== "string") return false;
  const forms = urls.flatMap((url) => [url, withOtherPort(url)]);
  return forms.map((url) => isEqual(given, twilioSignature(token, url, form))).includes(true);
}

/** Without the port, or with the usual one: Twilio's services don't agree on it, and its own libraries try both. */
function withOtherPort(url: string): string {
  const [, origin = url, port, rest = ""] = /^(https?:\/\/[^/:?#]{1,255})(:\d{1,5})?(.*)$/s.exec(url) ?? [];
  if (port !== undefined) return origin + rest;
  return `${origin}:${origin.startsWith("https") ? 443 : 80}${rest}`;
}

function isEqual(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
