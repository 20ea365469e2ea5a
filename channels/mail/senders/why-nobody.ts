/** Finds what keeps everybody from being believed by mail: the settings, or where the receiving server puts its results. Pure. */
import type { MailTrust } from "../../../protocol/agents/channels/mail.ts";
import { type Header, trustedResults } from "./authentication-results.ts";

/** The reason in words; null: the results of a mail with these headers can make somebody believed. */
export function whyNobody(
  headers: readonly Header[],
  { trust, authservIds }: { trust: readonly MailTrust[]; authservIds: readonly string[] | undefined },
): string | null {
  if (trust.length === 0) return "channels.mail.trust is empty";
  if (authservIds?.length === 0) return "channels.mail.authserv_ids names no server";
  if (authservIds !== undefined) return null;
  const isChecked = trustedResults(headers, undefined).some(({ method }) => trust.some((one) => one === method));
  return isChecked
    ? null
    : "no result of DKIM or SPF stands above the first Received of a mail, and channels.mail.authserv_ids names no server";
}
