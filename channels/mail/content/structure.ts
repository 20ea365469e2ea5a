/** The parts of a mail, as the server describes them before anything is fetched: which are its text, and which are files. Pure. */
import type { MessageStructureObject } from "imapflow";

export type TextPart = {
  /** Its number in IMAP; null: the mail has no other part. */
  part: string | null;
  isHtml: boolean;
  /** As the mail's own headers have it. */
  mimeHeaders: string;
};

export type MailFile = {
  part: string | null;
  name: string;
  type: string;
  /** In bytes, as far as the server says it. */
  size: number;
};

export type MailParts = { texts: TextPart[]; files: MailFile[] };

/** Nested deeper, or more of them: the rest isn't looked at. */
const maxDepth = 20;
const maxParts = 200;

const encodings = ["7bit", "8bit", "quoted-printable", "base64"];

export function partsOf(structure: MessageStructureObject | undefined): MailParts {
  const leaves = structure ? leavesOf(structure, 0).slice(0, maxParts) : [];
  const texts = leaves.flatMap((leaf) => textOf(leaf) ?? []);
  return {
    // The same in two forms is read once, without markup where it can be.
    texts: texts.some(({ isHtml }) => !isHtml) ? texts.toSorted((a, b) => Number(a.isHtml) - Number(b.isHtml)) : texts,
    files: leaves.filter((leaf) => textOf(leaf) === null).map(fileOf),
  };
}

function leavesOf(node: MessageStructureObject, depth: number): MessageStructureObject[] {
  // A mail within a mail is a file.
  if (!node.type.startsWith("multipart/")) return [node];
  if (depth > maxDepth) return [];
  return (node.childNodes ?? []).flatMap((child) => leavesOf(child, depth + 1));
}

function textOf(node: MessageStructureObject): TextPart | null {
  const isHtml = node.type === "text/html";
  if ((!isHtml && node.type !== "text/plain") || node.disposition === "attachment" || nameOf(node) !== undefined)
    return null;
  const { charset = "utf-8", format = "", delsp = "" } = node.parameters ?? {};
  const encoding = node.encoding?.toLowerCase() ?? "";
  const mimeHeaders = [
    `Content-Type: ${node.type}; charset="${charset.replaceAll(/[^\w.:+-]/g, "").slice(0, 40)}"`,
    ...(format.toLowerCase() === "flowed" ? ["; format=flowed"] : []),
    ...(delsp.toLowerCase() === "yes" ? ["; delsp=yes"] : []),
    `\r\nContent-Transfer-Encoding: ${encodings.includes(encoding) ? encoding : "8bit"}\r\n\r\n`,
  ];
  return { part: node.part ?? null, isHtml, mimeHeaders: mimeHeaders.join("") };
}

function fileOf(node: MessageStructureObject): MailFile {
  const { part, type, size = 0, encoding } = node;
  const name = nameOf(node) ?? (type === "message/rfc822" ? "mail.eml" : `file-${part ?? "1"}`);
  // Four signs for three bytes, and the ends of lines.
  const bytes = encoding?.toLowerCase() === "base64" ? Math.floor((size * 3 * 76) / (4 * 78)) : size;
  return { part: part ?? null, name, type, size: bytes };
}

const nameOf = ({ dispositionParameters, parameters }: MessageStructureObject): string | undefined =>
  [dispositionParameters?.["filename"], parameters?.["name"]].find((name) => name !== undefined && name.trim() !== "");
