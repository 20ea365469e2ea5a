/** Mails that no person has written to us: they never start a turn, so that no two machines answer each other. Pure. */
import { type MailHeaders, valuesOf } from "../base/headers.ts";
import { isOwnMessageId } from "../base/own-message-id.ts";

/** Headers with which machines mark what they send. */
const machineHeaders = ["list-id", "list-unsubscribe", "x-loop", "x-autoreply", "x-autorespond"];
const machineAddresses = ["mailer-daemon", "postmaster"];
const bulk = ["bulk", "list", "junk"];

/** The reason for which a mail isn't read; null: a person may have written it. @param own the channel's address */
export function whyUnanswered(headers: MailHeaders, own: string): string | null {
  const first = (name: string) => valuesOf(headers, name)[0]?.trim().toLowerCase();
  const { from, messageId } = headers;
  if (from === null) return "it names no sender, or several";
  if (from.address === own) return "it is from our own address";
  if (messageId !== null && isOwnMessageId(messageId, own)) return "it is one of our own";
  if (machineAddresses.includes(from.address.split("@")[0] ?? "")) return `it is from ${from.address}`;
  if (valuesOf(headers, "return-path").some((path) => ["", "<>"].includes(path.trim()))) return "it has no return path";
  const submitted = first("auto-submitted")?.split(/[\s;(]/)[0];
  if (submitted !== undefined && submitted !== "no") return `Auto-Submitted: ${submitted.slice(0, 40)}`;
  const precedence = first("precedence");
  if (precedence !== undefined && bulk.includes(precedence)) return `Precedence: ${precedence}`;
  const suppressed = first("x-auto-response-suppress");
  if (suppressed !== undefined && suppressed !== "none") return "it asks for no automatic answer";
  const marked = machineHeaders.find((name) => first(name) !== undefined);
  if (marked !== undefined) return `it has the header ${marked}`;
  return first("content-type")?.startsWith("multipart/report") === true ? "it is a report" : null;
}
