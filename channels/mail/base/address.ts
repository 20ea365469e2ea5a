/** Addresses of mails, each in one form, so that two that name the same mailbox are equal. Pure. */
import { domainToASCII } from "node:url";

/** From RFC 5321: a path of 256 with its brackets. */
const longest = 254;

/** No white space, nothing that hides, and none of the signs that addresses, or our own lines, are made of. */
const localPattern = /^[^\s\p{C}"(),:;<>@[\\\]|]{1,64}$/u;
const domainPattern = /^[a-z0-9.-]{1,253}$/;

/** The address in lower case with its domain in ASCII; null: it is none that we write to. */
export function normalAddress(address: string): string | null {
  const at = address.lastIndexOf("@");
  const local = address.slice(0, at).normalize("NFC").toLowerCase();
  const domain = normalDomain(address.slice(at + 1));
  if (at < 1 || domain === null || !localPattern.test(local)) return null;
  const normal = `${local}@${domain}`;
  return normal.length <= longest ? normal : null;
}

/** A domain in lower case, in ASCII; null: it is none. */
export function normalDomain(domain: string): string | null {
  const ascii = domainToASCII(domain.trim().toLowerCase());
  return domainPattern.test(ascii) ? ascii : null;
}

export const domainOf = (address: string): string => address.slice(address.lastIndexOf("@") + 1);
