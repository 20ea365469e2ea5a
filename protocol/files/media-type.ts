/** The media type of a content, told by its first bytes: a name may lie, and senders guess. Pure. */

/** So many first bytes tell the type. */
export const headBytes = 4096;

const startsWith =
  (bytes: number[], at = 0) =>
  (head: Uint8Array) =>
    bytes.every((byte, index) => head[at + index] === byte);
const ascii = (text: string, at = 0) => startsWith([...Buffer.from(text, "latin1")], at);
const both = (one: (head: Uint8Array) => boolean, other: (head: Uint8Array) => boolean) => (head: Uint8Array) =>
  one(head) && other(head);

/** How each type begins, from the registries of its format. The first that fits counts. */
const beginnings: [type: string, fits: (head: Uint8Array) => boolean][] = [
  ["image/png", startsWith([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])],
  ["image/jpeg", startsWith([0xff, 0xd8, 0xff])],
  ["image/gif", ascii("GIF8")],
  ["image/webp", both(ascii("RIFF"), ascii("WEBP", 8))],
  ["image/bmp", both(ascii("BM"), startsWith([0, 0, 0, 0], 6))],
  ["image/tiff", startsWith([0x49, 0x49, 0x2a, 0])],
  ["image/tiff", startsWith([0x4d, 0x4d, 0, 0x2a])],
  ["image/heic", both(ascii("ftyp", 4), (head) => /^(heic|heix|mif1|msf1)$/.test(brand(head)))],
  ["image/avif", both(ascii("ftyp", 4), (head) => brand(head) === "avif")],
  ["application/pdf", ascii("%PDF-")],
  ["audio/wav", both(ascii("RIFF"), ascii("WAVE", 8))],
  ["audio/mpeg", ascii("ID3")],
  ["audio/mpeg", (head) => head[0] === 0xff && [0xfb, 0xfa, 0xf3, 0xf2].includes(head[1] ?? 0)],
  ["audio/aac", (head) => head[0] === 0xff && [0xf1, 0xf9].includes(head[1] ?? 0)],
  ["audio/ogg", ascii("OggS")],
  ["audio/flac", ascii("fLaC")],
  ["audio/mp4", both(ascii("ftyp", 4), (head) => /^(M4A |M4B )$/.test(brand(head)))],
  ["video/mp4", ascii("ftyp", 4)],
  ["video/webm", startsWith([0x1a, 0x45, 0xdf, 0xa3])],
  ["application/zip", startsWith([0x50, 0x4b, 0x03, 0x04])],
  ["application/gzip", startsWith([0x1f, 0x8b])],
];

const brand = (head: Uint8Array) => Buffer.from(head.subarray(8, 12)).toString("latin1");

/** Text that a name tells more of. What browsers run is plain text to us. */
const texts: Record<string, string> = {
  md: "text/markdown",
  csv: "text/csv",
  tsv: "text/tab-separated-values",
  json: "application/json",
  ics: "text/calendar",
  vcf: "text/vcard",
};

/** The media type of a zip archive, by what is inside it. */
const archives: Record<string, string> = {
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  odt: "application/vnd.oasis.opendocument.text",
  ods: "application/vnd.oasis.opendocument.spreadsheet",
  odp: "application/vnd.oasis.opendocument.presentation",
};

/** @param head the first bytes of the content, `headBytes` where it has as many @param name tells kinds of text and of archives apart */
export function mediaType(head: Uint8Array, name: string): string {
  const ending = /\.([a-z0-9]{1,8})$/i.exec(name)?.[1]?.toLowerCase() ?? "";
  const known = beginnings.find(([, fits]) => fits(head))?.[0];
  if (known === "application/zip") return archives[ending] ?? known;
  if (known !== undefined) return known;
  return isText(head) ? (texts[ending] ?? "text/plain") : "application/octet-stream";
}

/** UTF-8 without control characters but those that text is laid out with. */
function isText(head: Uint8Array): boolean {
  try {
    // A character may be cut at the end.
    const text = new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: true });
    // oxlint-disable-next-line no-control-regex
    return !/[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/.test(text);
  } catch {
    return false;
  }
}

/** Whether a type is one of these kinds: `image/png`, or `image/*`. */
export function isOfKinds(mime: string, kinds: readonly string[]): boolean {
  return kinds.some((kind) => (kind.endsWith("*") ? mime.startsWith(kind.slice(0, -1)) : mime === kind));
}

/** Whether it is text that a model may read as such. */
export const isTextType = (mime: string) => mime.startsWith("text/") || mime === "application/json";
