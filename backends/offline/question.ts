/** The user's question, as far as words and dates tell. Pure. */
import type { Message } from "../../protocol/runs/run-config.ts";
import { type Citation, citationsIn } from "./citations.ts";
import { type DayRange, daysAskedFor, firstDayOf } from "./dates.ts";
import { keywordsOf } from "./keywords.ts";
import { withoutTags } from "./voice.ts";

export type Question = {
  /** Its subject. */
  words: string[];
  /** Sources that it names: they are looked up rather than searched for. */
  citations: Citation[];
  days: DayRange | undefined;
  facet: string | undefined;
};

/** Reads the words of a message in a thread, without who says them to whom. */
function asSaid(text: string): string {
  const isAsked = text.startsWith("The person asking is ");
  const said = isAsked ? text.slice(text.indexOf("\n") + 1) : text.replace(/^\[[^\]\n]{0,250}\]:/, "");
  return said.replace(/(?<!\S)@[\w-]+/g, "");
}

/** A run's subject beside its prompt: its day and facet, and the context that tells the date. */
export type QuestionContext = { facet: string | undefined; day: string | undefined; context: string };

/** A follow-up with fewer words of its own is about what was asked before. */
const enoughWords = 2;

/** The question that was asked last. Of former ones it takes words where it has hardly any: "and in March?". */
export function questionOf(messages: readonly Message[], about: QuestionContext): Question {
  const asked = messages.flatMap((message) =>
    message.role === "user" && message.text ? [asSaid(withoutTags(message.text))] : [],
  );
  const last = asked.at(-1) ?? "";
  const today = firstDayOf(about.context) ?? about.day;
  const words = keywordsOf(last);
  for (const former of asked.slice(0, -1).toReversed()) {
    if (words.length >= enoughWords) break;
    words.push(...keywordsOf(former).filter((word) => !words.includes(word)));
  }
  // A run that is about another day than today is about that day, unless it is asked for a third one.
  const ownDay = about.day !== undefined && about.day !== today ? { from: about.day, to: about.day } : undefined;
  return { words, citations: citationsIn(last), days: daysAskedFor(last, today) ?? ownDay, facet: about.facet };
}
