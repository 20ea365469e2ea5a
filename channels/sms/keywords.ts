/** The words by which somebody ends messages to their number, begins them again, or asks what this is. Pure. */

export type Keyword = "stop" | "start" | "help";

/** From Twilio's standard keywords; a whole message, in any case. */
const words: Record<Keyword, readonly string[]> = {
  stop: ["STOP", "STOPALL", "UNSUBSCRIBE", "CANCEL", "END", "QUIT"],
  start: ["START", "UNSTOP"],
  help: ["HELP", "INFO"],
};

/** @param isStopped whether the number gets nothing now: only then is YES a word of these, and not an answer */
export function keywordOf(text: string, isStopped: boolean): Keyword | null {
  const said = text.trim().toUpperCase();
  if (words.stop.includes(said)) return "stop";
  if (words.start.includes(said) || (isStopped && said === "YES")) return "start";
  return words.help.includes(said) ? "help" : null;
}

export const helpText =
  "An assistant answers here: write to it as to a person. Message and data rates may apply. STOP ends all messages, START begins them again.";
