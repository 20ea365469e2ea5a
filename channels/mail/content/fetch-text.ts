/** The text of a mail as a person wrote it: fetched up to a bound, HTML read as text, without quotes. */
import type { ImapFlow } from "imapflow";
import PostalMime from "postal-mime";
import { legibleText, pageText } from "../../../files/page-text.ts";
import { withoutQuotes } from "./quotes.ts";
import type { TextPart } from "./structure.ts";

/** In bytes, of each part. */
const maxPartBytes = 1024 * 1024;
/** In characters: a message of ours takes some more. */
const maxText = 200_000;
const cutNote = "\n[The mail is longer: the rest isn't read here.]";

/** @param texts those without markup first: the others are read only where these say nothing */
export async function fetchText(client: ImapFlow, uid: number, texts: readonly TextPart[]): Promise<string> {
  for (const isHtml of [false, true]) {
    const parts: string[] = [];
    for (const one of texts.filter((part) => part.isHtml === isHtml)) parts.push(await partText(client, uid, one));
    const text = parts.join("\n").trim();
    if (text !== "") return bounded(withoutQuotes(text, isHtml));
  }
  return "";
}

async function partText(client: ImapFlow, uid: number, { part, isHtml, mimeHeaders }: TextPart): Promise<string> {
  const key = part ?? "text";
  const wanted = { bodyParts: [{ key, start: 0, maxLength: maxPartBytes }] };
  const found = await client.fetchOne(uid, wanted, { uid: true });
  const body = found ? found.bodyParts?.get(key) : undefined;
  if (!body) return "";
  const { text = "", html = "" } = await PostalMime.parse(Buffer.concat([Buffer.from(mimeHeaders), body]));
  // Links within the mail lead nowhere.
  return isHtml ? (await pageText(html, "about:blank", maxText)).text : legibleText(text.replaceAll("\r\n", "\n"));
}

const bounded = (text: string) => (text.length <= maxText ? text : text.slice(0, maxText).toWellFormed() + cutNote);
