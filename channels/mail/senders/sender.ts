/** The sender of a mail: the address that it names, and whether that is believed. Pure. */
import { type MailTrust } from "../../../protocol/agents/channels/mail.ts";
import { unverifiedPrefix } from "../../../protocol/agents/channel.ts";
import { domainOf } from "../base/address.ts";
import { isFromDomain, trustedResults } from "./authentication-results.ts";
import type { MailHeaders } from "../base/headers.ts";

export type MailSender = {
  address: string;
  /** Its display name, which anybody may choose. */
  name: string;
  /** The address where it is believed; else one that is nobody's. */
  userId: string;
  isBelieved: boolean;
};

export type Belief = {
  address: string;
  trust: readonly MailTrust[];
  /** As in the account. */
  authservIds?: readonly string[] | undefined;
};

/** @param from the one that the headers name */
export function senderOf(
  headers: MailHeaders,
  { address, name }: { address: string; name: string },
  { address: own, trust, authservIds }: Belief,
): MailSender {
  const results = trustedResults(headers.all, authservIds);
  // To us: else somebody could hand on what the sender once wrote to them, with its signature.
  const isBelieved = headers.to.includes(own) && isFromDomain(results, domainOf(address), trust);
  return { address, name, userId: isBelieved ? address : `${unverifiedPrefix}${address}`, isBelieved };
}
