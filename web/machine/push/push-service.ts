/** Sends to a push service (RFC 8030), sealed for the browser alone (RFC 8291). A browser names the address: it leads out into the world, or to a service that the settings name. */
import { lookup } from "node:dns";
import type { LookupAddress, LookupOptions } from "node:dns";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { messageOf } from "../../../files/errors/error-message.ts";
import { isPublicAddress } from "../../../protocol/guards/public-address.ts";
import type { PushSettings } from "../../../protocol/settings/parts/push-settings.ts";
import type { Target } from "./push-devices.ts";
import type { PushKeys } from "./push-keys.ts";

/** Seconds for which a push service keeps what it can't bring yet. */
const keptSeconds = 86_400;
const timeoutMs = 20_000;
/** Nobody's mailbox: a name that can't exist (RFC 2606). */
const nobody = "mailto:cortex@cortex.invalid";

/** @field why in words; @field retryAfterMs as the service says */
export type PushOutcome =
  | { kind: "sent" }
  | { kind: "gone"; why: string }
  | { kind: "refused"; why: string }
  | { kind: "away"; why: string; retryAfterMs: number | null };

export type Sealed = { topic: string; isUrgent: boolean; text: string };

/** Why an address can't be a push service's; null: it can. */
export function endpointRefusal(endpoint: string, services: PushSettings["services"] = []): string | null {
  const { origin, protocol, hostname, username } = new URL(endpoint);
  if (username !== "") return "endpoint: expected an address without a name";
  if (isNamed(origin, services)) return null;
  if (protocol !== "https:") return `endpoint: expected https, got ${protocol}//`;
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  const isOutside = isIP(host) === 0 ? host.includes(".") && !host.endsWith(".localhost") : isPublic(host);
  return isOutside
    ? null
    : `endpoint: ${hostname} is in this machine's own network: "push": {"services": [...]} names it`;
}

/** Sends it. Never throws: what became of it is the answer. */
export async function sendPush(
  target: Target,
  sealed: Sealed,
  keys: PushKeys,
  { services = [], contact = nobody }: PushSettings = {},
): Promise<PushOutcome> {
  const refusal = endpointRefusal(target.endpoint, services);
  if (refusal !== null) return { kind: "refused", why: refusal };
  try {
    // Loaded by the first that is sent.
    const { default: webPush } = await import("web-push");
    const { method, headers, body } = webPush.generateRequestDetails(
      { endpoint: target.endpoint, keys: { p256dh: target.p256dh, auth: target.auth } },
      sealed.text,
      {
        vapidDetails: { subject: contact, publicKey: keys.public_key, privateKey: keys.private_key },
        TTL: keptSeconds,
        topic: sealed.topic,
        urgency: sealed.isUrgent ? "high" : "normal",
        contentEncoding: "aes128gcm",
      },
    );
    return outcomeOf(await post(target.endpoint, { method, headers, body: body ?? Buffer.alloc(0), services }));
  } catch (error) {
    return { kind: "away", why: messageOf(error), retryAfterMs: null };
  }
}

type Answer = { status: number; retryAfter: string | undefined };

type Post = { method: string; headers: object; body: Buffer; services: readonly string[] };

/** A redirect isn't followed: it would lead anywhere. */
function post(endpoint: string, { method, headers, body, services }: Post): Promise<Answer> {
  const { origin, protocol } = new URL(endpoint);
  const options = {
    method,
    headers: { ...headers },
    signal: AbortSignal.timeout(timeoutMs),
    ...(isNamed(origin, services) ? {} : { lookup: lookUpOutside }),
  };
  return new Promise((resolve, reject) => {
    const request = (protocol === "http:" ? httpRequest : httpsRequest)(endpoint, options, (response) => {
      resolve({ status: response.statusCode ?? 0, retryAfter: response.headers["retry-after"] });
      // What it says beside is nobody's.
      response.destroy();
    });
    request.on("error", reject);
    request.end(body);
  });
}

function outcomeOf({ status, retryAfter }: Answer): PushOutcome {
  if (status >= 200 && status < 300) return { kind: "sent" };
  const why = `the push service answered ${status}`;
  if (status === 404 || status === 410) return { kind: "gone", why };
  if (status === 429 || status >= 500) return { kind: "away", why, retryAfterMs: retryAfterMs(retryAfter) };
  return { kind: "refused", why };
}

/** Seconds, or a date. */
function retryAfterMs(header: string | undefined): number | null {
  if (header === undefined) return null;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}

const isNamed = (origin: string, services: readonly string[]) =>
  services.some((service) => new URL(service).origin === origin);

const isPublic = (address: string) => isPublicAddress(address, networkInterfaces());

type Found = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;

/** The addresses of a name, where all of them are out in the world: the connection goes to what was looked at. */
function lookUpOutside(name: string, options: LookupOptions, found: unknown): void {
  const tell = found as (error: NodeJS.ErrnoException | null, address?: unknown, family?: number) => void;
  const all: Found = (error, addresses) => {
    const [first] = addresses ?? [];
    if (error || !first) return tell(error ?? new Error(`${name} has no address`));
    const inside = addresses.find(({ address }) => !isPublic(address));
    if (inside) return tell(new Error(`${name} is in this machine's own network`));
    if (options.all) return tell(null, addresses);
    return tell(null, first.address, first.family);
  };
  lookup(name, { ...options, all: true }, all);
}
