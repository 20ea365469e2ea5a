/** How the page is connected, as a sentence. Pure. */

/** `48 s`, `4 min`, `2 h`. */
function span(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

/** @param since when the connection broke, in ms */
export const cutOffWords = (since: number): string =>
  `Not connected since ${new Date(since).toLocaleTimeString("en-GB")}.`;

/** @param isAll whether all that was missed came; otherwise lists were read again */
export function backWords(afterMs: number, missed: number, isAll: boolean): string {
  const back = `Back after ${span(afterMs)}.`;
  if (!isAll) return `${back} Everything was read again.`;
  const came = missed === 0 ? "Nothing came" : `${missed} ${missed === 1 ? "event" : "events"} came`;
  return `${back} ${came} meanwhile; nothing is missing.`;
}
