/** The words of a text that say what it is about. Pure, and the same for the same text. */

import { stopWords, wordsWithin } from "../../protocol/words/stop-words.ts";

/** Length of the part of a text that is read. */
const maxLength = 100_000;

/** So many words are a query; of more, those that weigh most are taken. */
const maxKeywords = 12;

/** Words that any question or task is made of. */
const emptyWords: ReadonlySet<string> = new Set(
  (
    "a about above after again ago all also although always am an and another any anyone anything are around as ask at away be " +
    "became because been before being below between both but by came can cannot come could day days did do does doing done " +
    "down during each either else ever every everything few find first for found from further gave get give given go goes " +
    "going got had happen happened happens has have having he help her here hers him his how however i if in into is it its " +
    "itself journal just keep know last latest least less let like list look looking made make many may me mean mention " +
    "mentioned mentions might mine month more most much must my need never new next no nor not note notes nothing now of off " +
    "often on once one only or other our ours out over own passage passages path paths people please previous prompt put quite " +
    "rather read really recent recently said same say says search searched see she should show since so some something source " +
    "sources still such summarise summarize summary sure take talk tell than thank thanks that the their theirs them then " +
    "there these they thing things this those though through time to today told tomorrow too under until up upon us use used " +
    "using very want was way we week weeks well went were what whatever when where whether which while who whole whom whose " +
    "why will with within without word words work would write wrote year years yes yesterday yet you your yours " +
    "above-mentioned audit digest facet newsletter overview analyse analyze analysis answer answered answers check draft explain following improve report result " +
    "review reviewed reviews text monday tuesday wednesday thursday friday saturday sunday january february march april june " +
    "july august september october november december"
  ).split(" "),
);

/** Longer than any word. */
const maxWordLength = 64;
/** Longer than a sentence in a script without spaces. */
const maxRun = 1000;

/** Places in files, addresses, dates and times: they name a source or a day, not a subject. */
const notWord = /\.(?:md|txt|jsonl?)\b|:\/\/|^\W*(?:\d{4}-?\d{2}-?\d{2}|\d{1,2}:\d{2})\W*$/u;

/** The telling words, in lower case: all of a short text in their order, of a long one the weightiest first. */
export function keywordsOf(text: string): string[] {
  const weights = new Map<string, number>();
  for (const word of wordsOf(text.slice(0, maxLength))) {
    const plain = word.toLowerCase().replace(/(?:['’]s|['’-])$/u, "");
    if (!isTelling(plain)) continue;
    // A name, which is written large, tells more.
    const weight = /^\p{Lu}/u.test(word) ? 1.5 : 1;
    weights.set(plain, (weights.get(plain) ?? 0) + weight);
  }
  const words = [...weights.keys()];
  if (words.length <= maxKeywords) return words;
  return words.toSorted((a, b) => (weights.get(b) ?? 0) - (weights.get(a) ?? 0)).slice(0, maxKeywords);
}

function wordsOf(text: string): string[] {
  return (
    text
      .split(/\s+/)
      .filter((token) => !notWord.test(token))
      .flatMap((token) => token.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}'’-]*/gu) ?? [])
      // An article that is written together with its word: l’hiver, d'abord.
      .map((word) => word.replace(/^(?:[cdjlmnst]|qu|dell|nell|all|un)['’](?=\p{L}{2})/iu, ""))
      .flatMap((word) => (word.length > maxRun ? [word] : wordsWithin(word)))
      .filter((word) => word.length <= maxWordLength)
  );
}

function isTelling(word: string): boolean {
  // Small numbers and years belong to dates.
  if (
    emptyWords.has(word) ||
    word.split("-").every((part) => stopWords.has(part)) ||
    /^\p{Script=Hiragana}{1,3}$/u.test(word)
  )
    return false;
  if (/^(?:\d{1,2}(?:st|nd|rd|th)?|(?:19|20)\d{2})$/.test(word)) return false;
  // Two letters are a whole word in scripts that write no spaces, and hardly ever one in Latin.
  return /^\p{Script=Latin}*$/u.test(word) ? word.length >= 3 : word.length >= 2;
}
