/** Names of personas, agents and runs as people read them. */
import { cutText, visible } from "../text/visible-text.ts";

/** Longer names and lines are cut: no row shows more, and a model may write a line of megabytes. In characters. */
const [longestName, longestLine] = [200, 1000];

/** `facet-newsletter` becomes `Facet newsletter`; a name that somebody wrote with capitals or spaces stays as it is. */
export function personName(name: string): string {
  const shown = visible(cutText(name, longestName).text);
  if (/[A-Z ]/.test(name)) return shown;
  const words = shown.replaceAll(/[-_]+/g, " ").trim();
  return words === "" ? shown : words.charAt(0).toUpperCase() + words.slice(1);
}

/** The end of a run's id, which is enough for every command: `…4744213`. */
export function shortId(id: string): string {
  return id.length > 7 ? `…${id.slice(-7)}` : id;
}

/** The first line of a text, without the spaces around it, as it can be shown in a row: its controls visible, and cut where it is long. */
export function firstLine(text: string): string {
  return shownLine(text.trimStart().split("\n", 1)[0]?.trimEnd() ?? "");
}

/** The last line of a text, as it can be shown in a row. */
export function lastLine(text: string): string {
  const whole = text.trimEnd();
  return shownLine(whole.slice(whole.lastIndexOf("\n") + 1));
}

/** A text that is shown in a row, all in one line. */
export function shownLine(text: string): string {
  return visible(cutText(text, longestLine).text);
}
