/** The headers of a mail, as far as the channel needs them. */
import { createHash } from "node:crypto";
import PostalMime, { addressParser } from "postal-mime";
import { normalAddress } from "./address.ts";

export type MailHeaders = {
  /** All of them, names in lower case, as they stand in the mail: the latest server's come first. */
  all: readonly { key: string; value: string }[];
  /** Null where not exactly one sender is named: whom one reader shows, another may not. */
  from: { address: string; name: string } | null;
  /** The addresses in To and Cc. */
  to: readonly string[];
  /** Empty where there is none. */
  subject: string;
  messageId: string | null;
  /** The mails that it follows, the first of its thread first. */
  references: readonly string[];
  /** The mail that it answers. */
  inReplyTo: string | null;
  date: string | null;
};

/** In bytes: more than any server lets through. */
const maxHeadersSize = 256 * 1024;
const maxReferences = 100;
const longestName = 200;

/** @throws when they can't be read */
export async function readHeaders(block: Uint8Array): Promise<MailHeaders> {
  const { headers, subject = "", to = [], cc = [], date } = await PostalMime.parse(block, { maxHeadersSize });
  const valuesOf = (name: string) => headers.flatMap(({ key, value }) => (key === name ? [value] : []));
  const addresses = [...to, ...cc].flatMap((one) => one.group ?? [one]);
  const inReplyTo = messageIdsIn(valuesOf("in-reply-to"));
  return {
    all: headers.map(({ key, value }) => ({ key, value })),
    from: senderIn(valuesOf("from")),
    to: addresses.flatMap(({ address }) => normalAddress(address) ?? []),
    subject: subject.replace(/\s+/g, " ").trim(),
    messageId: messageIdsIn(valuesOf("message-id"))[0] ?? null,
    references: [...new Set([...messageIdsIn(valuesOf("references")), ...inReplyTo])].slice(0, maxReferences),
    inReplyTo: inReplyTo[0] ?? null,
    date: date ?? null,
  };
}

/** The id of a mail as a message: the same for the same mail of the same sender, wherever and however often it lies. */
export function messageIdOf({ messageId, all }: MailHeaders, userId: string): string {
  const named = messageId ?? all.map(({ key, value }) => `${key}:${value}`).join("\n");
  // Of its sender: nobody else can use up the id of a mail that is still to come.
  return `mail-${createHash("sha256").update(`${userId}\n${named}`).digest("hex").slice(0, 40)}`;
}

/** The values of a header, the latest server's first. */
export const valuesOf = ({ all }: MailHeaders, name: string): string[] =>
  all.flatMap(({ key, value }) => (key === name ? [value] : []));

function senderIn(values: readonly string[]): MailHeaders["from"] {
  const [sender, ...more] = values.flatMap((value) => addressParser(value, { flatten: true }));
  const { address: named = "", name = "" } = sender ?? {};
  const address = normalAddress(named);
  if (more.length > 0 || values.length > 1 || address === null) return null;
  // One that stands there only once it is decoded: the sender's own server may have seen none.
  if (values[0]?.includes(named) !== true) return null;
  return { address, name: name.replace(/\s+/g, " ").trim().slice(0, longestName) };
}

/** Without their brackets. */
const messageIdsIn = (values: readonly string[]): string[] =>
  values.flatMap((value) => Array.from(value.matchAll(/<([^<>\s]{1,900})>/g), ([, id = ""]) => id));
