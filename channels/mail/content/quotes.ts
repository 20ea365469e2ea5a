/**
 * Text that somebody wrote in a mail, without what it quotes at its end and without a signature. Only what stands at the end is cut,
 * so nothing that was written between quotes is lost; where all would be cut, nothing is. Pure.
 */

/** A line that says whose words follow, as mail programs write it, in several languages. */
const attributions = [
  /^(?:On|Am|Le|El|Il|Op|Em|No dia|Den) .{5,400}(?:wrote|schrieb.{0,200}|schreef.{0,200}|a écrit|escribió|ha scritto|escreveu|skrev.{0,200})\s?:$/,
  /^.{1,200}<[^<>]{3,300}> escreveu \(.{5,100}\)\s?:$/,
  /^\d{4}(?:年|\/).{5,300}(?:<[^<>]{3,300}>|のメール)\s?[:：]$/,
  /^.{0,200}\d{4}年.{5,300}(?:写道|寫道)\s?[:：]$/,
  /^\d{4}(?:년|\.) .{5,300}작성\s?[:：]$/,
];
const openings = [/^(?:On|Am|Le|El|Il|Op|Em|No dia|Den) /, /> escreveu \(/, /\d{4}年/, /^\d{4}(?:년|[./])/];
/** Lines that such a one may be broken into. */
const attributionLines = 4;

/** The first line of a block of headers, as Outlook puts it above what it quotes, and the ones that must follow. */
const outlookFrom = /^\*?(?:From|Von|De|Da|Van|Från)\s?:\*? /;
const outlookRest = [
  /^\*?(?:Sent|Date|Gesendet|Datum|Envoyé|Enviado|Inviato|Verzonden)\s?:\*? /,
  /^\*?(?:Subject|Betreff|Objet|Asunto|Oggetto|Onderwerp)\s?:/,
];
const outlookLines = 8;
const rule =
  /^(?:-{3,10} ?(?:Original Message|Ursprüngliche Nachricht|Original-Nachricht|Message d'origine) ?-{3,10}|_{20,80})$/;

/** Lines of the longest signature. */
const signatureLines = 15;

/** The mark of a signature whose space at the end a program has taken away. Whoever types it may mean a line between two parts. */
const bareMark = "--";
/** Lines below such a mark, the first of which is a name, and one a number, a mail address or a page's. */
const cardLines = 8;
const cardName = /^\p{Lu}[\p{L}.'’-]{0,40}(?: \p{Lu}[\p{L}.'’-]{0,40}){0,4}$/u;
const sentenceEnd = /[.!?…:,;]\s{0,9}$/;
const cardPlace = /^.{0,100}?(?:[\w.+-]{1,64}@[\w-]{1,64}\.\w|https?:\/\/|www\.|\+?\d[\d ()/-]{6,30}$)/;

/** @param isFromHtml its quotes have no `>` */
export function withoutQuotes(text: string, isFromHtml: boolean): string {
  const mark = isFromHtml ? bareMark : "-- ";
  let lines = withoutOutlook(text.replaceAll(/\r\n?/g, "\n").split("\n"));
  if (isFromHtml) lines = withoutHtmlQuote(lines);
  // It stands below the quote, or above it.
  lines = withoutSignature(withoutLastQuote(withoutSignature(lines, mark)), mark);
  const kept = lines.join("\n").trim();
  return kept === "" ? text.trim() : kept;
}

const isQuoted = (line: string) => line.startsWith(">");
const isBlank = (line: string) => line.trim() === "";

function withoutSignature(lines: string[], mark: string): string[] {
  const at = lines.lastIndexOf(mark);
  if (at === -1 && mark !== bareMark) return withoutCard(lines);
  const below = lines.slice(at + 1);
  return at === -1 || below.length > signatureLines || below.some(isQuoted) ? lines : lines.slice(0, at);
}

/** Cuts a signature below a mark that has lost its space: a name, and below it where somebody is to be found. */
function withoutCard(lines: string[]): string[] {
  const at = lines.lastIndexOf(bareMark);
  if (at === -1 || !isBlank(lines[at - 1] ?? "")) return lines;
  const last = lines.findLastIndex((line) => !isBlank(line));
  const card = lines.slice(at + 1, last + 1);
  const isShort = card.length <= cardLines && !card.some((line) => isQuoted(line) || sentenceEnd.test(line));
  const isCard = isShort && cardName.test(card[0]?.trim() ?? "") && card.some((line) => cardPlace.test(line));
  return isCard ? lines.slice(0, at) : lines;
}

/** Cuts the lines with `>` at the end, and the line above them that says whose they are. */
function withoutLastQuote(lines: string[]): string[] {
  const last = lines.findLastIndex((line) => !isBlank(line));
  if (last === -1 || !isQuoted(lines[last] ?? "")) return lines;
  const end = lines.findLastIndex((line) => !isBlank(line) && !isQuoted(line));
  return withoutAttribution(lines.slice(0, end + 1));
}

function withoutAttribution(lines: string[]): string[] {
  for (let count = 1; count <= Math.min(attributionLines, lines.length); count++)
    if (isAttribution(joined(lines.slice(-count)))) return withoutRule(lines.slice(0, -count));
  return lines;
}

/** Cuts blank lines at the end, and a line that says where the old words begin. */
function withoutRule(lines: readonly string[]): string[] {
  const last = lines.findLastIndex((line) => !isBlank(line) && !rule.test(line.trim()));
  return lines.slice(0, last + 1);
}

/** Cuts from the first line on that says whose words follow, where none of those are marked. */
function withoutHtmlQuote(lines: string[]): string[] {
  const at = lines.findIndex((_, index) => startsAttribution(lines, index));
  return at === -1 || lines.slice(at).some(isQuoted) ? lines : lines.slice(0, at);
}

const isAttribution = (words: string) => attributions.some((pattern) => pattern.test(words));

const joined = (lines: readonly string[]) => lines.map((line) => line.trim()).join(" ");

function startsAttribution(lines: readonly string[], at: number): boolean {
  const first = lines[at]?.trim() ?? "";
  if (!openings.some((opening) => opening.test(first))) return false;
  for (let count = 1; count <= attributionLines; count++) {
    const words = joined(lines.slice(at, at + count));
    if (/\d/.test(words) && isAttribution(words)) return true;
  }
  return false;
}

/** Cuts Outlook's block of headers, and all below it. */
function withoutOutlook(lines: string[]): string[] {
  const at = lines.findIndex((line, index) => {
    if (!outlookFrom.test(line)) return false;
    const following = lines.slice(index + 1, index + outlookLines);
    return outlookRest.every((pattern) => following.some((one) => pattern.test(one)));
  });
  if (at === -1) return lines;
  return withoutRule(lines.slice(0, at));
}
