/** The words by which somebody ends messages to their number, begins them again, or asks what this is. Pure. */

export type Keyword = "stop" | "start" | "help";

/** From Twilio's standard keywords; a whole message, in any case. It doesn't take OPT OUT in two words: we do. */
const words: Record<Keyword, readonly string[]> = {
  stop: ["STOP", "STOPALL", "UNSUBSCRIBE", "CANCEL", "END", "QUIT", "REVOKE", "OPTOUT", "OPT OUT", "OPT-OUT"],
  start: ["START", "UNSTOP"],
  help: ["HELP", "INFO"],
};

/** Signs around a word that change nothing: Stop! "STOP" */
const around = /^["'“”‘’«»\s]{1,10}|["'“”‘’«»\s.!]{1,10}$/g;

/** @param isStopped whether the number gets nothing now: only then is YES a word of these, and not an answer */
export function keywordOf(text: string, isStopped: boolean): Keyword | null {
  const said = text.trim().replaceAll(around, "").toUpperCase();
  if (words.stop.includes(said)) return "stop";
  if (words.start.includes(said) || (isStopped && said === "YES")) return "start";
  return words.help.includes(said) ? "help" : null;
}

/** Twilio's own word for a message that it has taken as one of these, by words that the account has set: ARRET, ALTO. */
export function keywordByTwilio(optOutType: string): Keyword | null {
  const named = optOutType.toLowerCase();
  return named === "stop" || named === "start" || named === "help" ? named : null;
}

export const helpText =
  "An assistant answers here: write to it as to a person. Message and data rates may apply. STOP ends all messages, START begins them again.";
