/**
 * Text that somebody wrote in a mail, without what it quotes at its end and without a signature. Only what stands at the end is cut,
 * so nothing that was written between quotes is lost; where all would be cut, nothing is. Pure.
 */

/** A line that says whose words follow, as mail programs write it, in several languages. */
const attribution =
  /^(?:On|Am|Le|El|Il|Op|Em|Den) .{5,400}(?:wrote|schrieb.{0,200}|schreef.{0,200}|a écrit|escribió|ha scritto|escreveu|skrev.{0,200})\s?:$/;
const opening = /^(?:On|Am|Le|El|Il|Op|Em|Den) /;
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

/** @param isFromHtml its quotes have no `>` */
export function withoutQuotes(text: string, isFromHtml: boolean): string {
  const mark = isFromHtml ? "--" : "-- ";
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
  const below = lines.slice(at + 1);
  return at === -1 || below.length > signatureLines || below.some(isQuoted) ? lines : lines.slice(0, at);
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
    if (attribution.test(joined(lines.slice(-count)))) return lines.slice(0, -count);
  return lines;
}

/** Cuts from the first line on that says whose words follow, where none of those are marked. */
function withoutHtmlQuote(lines: string[]): string[] {
  const at = lines.findIndex((_, index) => startsAttribution(lines, index));
  return at === -1 || lines.slice(at).some(isQuoted) ? lines : lines.slice(0, at);
}

const joined = (lines: readonly string[]) => lines.map((line) => line.trim()).join(" ");

function startsAttribution(lines: readonly string[], at: number): boolean {
  if (!opening.test(lines[at]?.trim() ?? "")) return false;
  for (let count = 1; count <= attributionLines; count++) {
    const words = joined(lines.slice(at, at + count));
    if (/\d/.test(words) && attribution.test(words)) return true;
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
  const above = lines.slice(0, at);
  while (above.length > 0 && (isBlank(above.at(-1) ?? "") || rule.test(above.at(-1)?.trim() ?? ""))) above.pop();
  return above;
}
