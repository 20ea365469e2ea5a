/** The answer of the offline backend: passages in the words of the journal, each with its source, grouped by day. Pure. */
import { isDay } from "../../protocol/names/names.ts";
import { bearsOut, type Citation } from "./citations.ts";
import { type DayRange, dayInWords } from "./dates.ts";
import { paragraphOf, type Passage, wordsIn } from "./passages.ts";
import type { Question } from "./question.ts";

const maxPassages = 8;
/** Limit for a single day: all that it has, as long as that can be read. */
const maxDayPassages = 20;
const maxEvents = 30;

/** Findings. `problems`: errors that tools returned. */
export type JournalFindings = { passages: Passage[]; events: Passage[]; problems: string[] };

const hint =
  "The offline backend knows nothing but the journal, and quotes it. Other words may help, or a day, such as 20250109.";

export function answerOf(question: Question, { passages, events, problems }: JournalFindings): string {
  const told = new Set(events.map(sourceOf));
  const isOneDay = question.days !== undefined && question.days.from === question.days.to;
  // A passage that is shown as an event isn't shown again.
  const best = relevant(
    passages.filter((passage) => !told.has(sourceOf(passage))),
    question.words,
    isOneDay ? maxDayPassages : maxPassages,
  );
  const known = new Set(best.map(sourceOf));
  // Where a day has none of the words, all of it counts.
  const isAll = best.length === 0 || (isOneDay && !best.some((passage) => score(passage, question.words) > 0));
  const others = eventsAbout(question.words, events, isAll)
    .filter((event) => !known.has(sourceOf(event)))
    .slice(0, maxEvents);
  const found = best.length + others.length;
  const parts = [
    found === 0
      ? `Nothing was found in the journal ${scopeOf(question)}.`
      : foundText(question, [...best, ...others], isOneDay),
    ...groups(best),
    ...(others.length > 0 ? [["Events", ...others.map(bullet)].join("\n")] : []),
    ...(found === 0 && problems.length === 0 ? [hint] : []),
    ...problems.map((problem) => `(${problem})`),
  ];
  return parts.join("\n\n");
}

/** Results of looking sources up: first those that can't be read or say something else. */
export function checkOf(checked: { citation: Citation; source: string | undefined }[]): string {
  const lines = (verdict: boolean | undefined) =>
    checked.flatMap(({ citation, source }) =>
      source !== undefined && bearsOut(source, citation) === verdict
        ? [bullet({ ...citation, text: paragraphOf(source) })]
        : [],
    );
  const unread = checked.filter(({ source }) => source === undefined).map(({ citation }) => `- ${sourceOf(citation)}`);
  const [different, borneOut, untold] = [lines(false), lines(true), lines(undefined)];
  const isSound = unread.length + different.length === 0;
  return [
    `Looked up ${plural(checked.length, "source")} that the text names: ${
      isSound
        ? "each is there, and none says something else."
        : `${unread.length + different.length} should be checked.`
    }`,
    ...section("Can't be read:", unread),
    ...section("There, but with other words than the text:", different),
    ...section("There, as the text says:", borneOut),
    ...section(borneOut.length + different.length > 0 ? "There as well:" : "They say:", untold),
  ].join("\n\n");
}

const section = (heading: string, lines: string[]) => (lines.length > 0 ? [[heading, ...lines].join("\n")] : []);

const plural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`;

export const noToolsAnswer =
  "I have no tool to look into the journal with, so I can't answer. " +
  "The offline backend answers with passages that `search_journal` and `get_events` find: give the run the `journal` tools.";

/** The best first, as they were found. Those with fewer than half of the words that others have are left out. */
function relevant(passages: Passage[], words: readonly string[], most: number): Passage[] {
  const unique = [...new Map(passages.map((passage) => [sourceOf(passage), passage])).values()];
  const scores = unique.map((passage) => score(passage, words));
  const least = Math.max(0, ...scores) / 2;
  const kept = unique.filter((_, at) => (scores[at] ?? 0) >= least).slice(0, most);
  // Without words none is better than another: then as they stand in their files.
  return words.length > 0 ? kept : kept.toSorted(byPlace);
}

/** A day's own notes before what facets have of it. */
const byPlace = (a: Passage, b: Passage) => a.path.localeCompare(b.path, "en") || a.line - b.line;

/** Passages with one of the words; all of them where the question has none, or nothing else was found. */
function eventsAbout(words: readonly string[], events: Passage[], isAll: boolean): Passage[] {
  const about = events.filter((event) => score(event, words) > 0);
  return about.length === 0 && (isAll || words.length === 0) ? events : about;
}

const score = ({ path, text }: Passage, words: readonly string[]) => wordsIn(`${path} ${text}`, words);

/** The best passage's day first, and within it the best passage first. */
function groups(passages: Passage[]): string[] {
  const byDay = Map.groupBy(passages, ({ path }) => headingOf(path));
  return [...byDay].map(([heading, group]) => [heading, ...group.map(bullet)].join("\n"));
}

function headingOf(path: string): string {
  const day = path.match(/(?<!\d)\d{8}(?!\d)/g)?.find(isDay);
  if (day !== undefined) return dayInWords(day);
  const [, facet] = /^facets\/([^/]+)\//.exec(path) ?? [];
  return facet === undefined ? path : `Facet ${facet}`;
}

const sourceOf = ({ path, line }: Pick<Passage, "path" | "line">) => `${path}:${line}`;

const bullet = (passage: Passage) => `- ${passage.text} (${sourceOf(passage)})`;

/** The line above the findings: their scope, and whether the question's words occur in them. */
function foundText(question: Question, found: readonly Passage[], isOneDay: boolean): string {
  const isThere = found.some((passage) => score(passage, question.words) > 0);
  if (!isOneDay || isThere || question.words.length === 0) return `From the journal, ${scopeOf(question)}:`;
  return `Nothing was found ${scopeOf({ ...question, facet: undefined })}. What that day has${
    question.facet === undefined ? "" : ` in the facet ${question.facet}`
  }:`;
}

function scopeOf({ words, days, facet }: Question): string {
  const about = words.length > 0 ? `about ${words.join(", ")}` : "";
  const when = days ? rangeInWords(days) : "";
  const where = facet === undefined ? "" : `in the facet ${facet}`;
  return [about, when, where].filter(Boolean).join(" ") || "for this question: it has no words to look for";
}

function rangeInWords({ from, to }: DayRange): string {
  return from === to ? `on ${dayInWords(from)}` : `from ${dayInWords(from)} to ${dayInWords(to)}`;
}
