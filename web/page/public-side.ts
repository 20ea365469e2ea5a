/** The public side of the page: the address at which a proxy with TLS hands requests on, and the password that is asked for there. */
import { timingSafeEqual, createHash } from "node:crypto";
import { ChannelSecretError, readChannelSecret } from "../../journal/channels/channel-secret.ts";
import type { ChannelSettings } from "../../protocol/agents/channel-settings.ts";
import { type PublicAddress, publicAddress } from "../../protocol/guards/http-guard.ts";

export type PublicSide = PublicAddress & { isPassword: (text: string) => boolean };

/** A shorter one is found by trying: each link is good for a few tries, but anybody who is let in can make another. */
const shortest = 12;

/** Undefined: there is none, and nobody but this machine is answered. @throws ChannelSecretError without a password */
export function readPublicSide(
  journal: string,
  env: NodeJS.ProcessEnv,
  { public_url, password_file, password_env }: ChannelSettings,
): PublicSide | undefined {
  if (public_url === undefined) return undefined;
  if (new URL(public_url).protocol !== "https:")
    throw new ChannelSecretError("channels.web.public_url: expected an https address: a password goes over it");
  const name = "channels.web.password";
  const password = readChannelSecret(journal, env, { name, file: password_file, variable: password_env });
  if (password.length < shortest) throw new ChannelSecretError(`${name}: expected at least ${shortest} characters`);
  const digest = digestOf(password);
  return { ...publicAddress(public_url), isPassword: (text) => timingSafeEqual(digestOf(text), digest) };
}

/** Hashes a text: the digest has one length, whatever the text's is. */
const digestOf = (text: string) => createHash("sha256").update(text).digest();
