/** The summary of a thread, in its own words: the sentences that tell the most. Pure. */
import type { Message } from "../../protocol/runs/run-config.ts";
import { keywordsOf } from "./keywords.ts";
import { wordsIn } from "./passages.ts";

/** A person's or an agent's message, as sentences. `isPerson`: not an agent. */
type Speech = { name: string; isPerson: boolean; sentences: string[] };
type Sentence = { name: string; sentence: string };

const asksToSumUp = /\bsum (?:it|this|this thread|the thread) up\b|\bsum up (?:this|the) thread\b/i;

/** How what others said stands in a message. */
const label = /^\[([^\]\n]{1,250})\]: /gm;

const [fewestPoints, mostPoints] = [2, 4];
const mostActions = 2;
/** The points that a question counts less than a statement: more than any words do. */
const asQuestion = 100;
/** Words of a sentence. With this the whole stays under 200 words. */
const mostWords = 20;

/** Null: nobody asks for a summary, or nothing was said. */
export function summaryOf(messages: readonly Message[]): string | null {
  const asked = messages.findLast(({ role }) => role === "user")?.text ?? "";
  if (!asksToSumUp.test(asked)) return null;
  const said = messages.flatMap(speechesIn).filter(({ sentences }) => sentences.length > 0);
  if (said.length === 0) return null;
  const words = keywordsOf([asked.split("\n")[0] ?? "", ...said.flatMap(({ sentences }) => sentences)].join("\n"));
  const sentences = onceEach(
    said.flatMap(({ name, sentences: all }) => all.map((sentence): Sentence => ({ name, sentence }))),
  );
  if (!/\bCONCLUSION\b/.test(asked)) return bullets(pointsOf(sentences, words));
  // What a person said last, if that was no question: an agent answers, and people decide.
  const last = said.findLast(({ isPerson }) => isPerson)?.sentences ?? [];
  const conclusion = last.filter((sentence) => !isQuestion(sentence)).slice(0, 2);
  const others = sentences.filter(({ sentence }) => !conclusion.includes(sentence));
  return [
    `CONCLUSION: ${conclusion.map(short).join(" ") || "No clear conclusion reached."}`,
    ...section(
      "KEY POINTS",
      pointsOf(
        others.filter((one) => !isAction(one)),
        words,
      ),
    ),
    ...section("ACTION ITEMS", sentences.filter(isAction).slice(-mostActions)),
  ].join("\n\n");
}

function speechesIn({ role, text = "" }: Message): Speech[] {
  if (role === "assistant") return [{ name: "I", isPerson: false, sentences: sentencesIn(text) }];
  if (role !== "user") return [];
  const labels = [...text.matchAll(label)];
  return labels.map((one, at) => {
    const name = one[1] ?? "";
    const own = text.slice(one.index + one[0].length, labels[at + 1]?.index);
    return { name, isPerson: !name.endsWith(" (AI)"), sentences: sentencesIn(own) };
  });
}

/** Lines of lists are sentences, too; what stands in brackets behind one is a part of it. What is addressed to an agent is without its name. */
function sentencesIn(text: string): string[] {
  return text
    .split("\n")
    .map((line) =>
      line
        .replace(/(?<!\S)@[\w-]+/g, "")
        .replace(/\s+/g, " ")
        .trim(),
    )
    .flatMap((line) => line.replace(/^(?:#{1,6}|[-*>]|\d{1,3}\.) /, "").split(/(?<=[.!?…。！？]) (?!\()/u))
    .filter((sentence) => /\p{L}/u.test(sentence) && !sentence.endsWith(":"));
}

/** The sentences that tell the most: of each speaker the best, then the next ones. Questions only where there is little else. */
function pointsOf(sentences: readonly Sentence[], words: readonly string[]): Sentence[] {
  const score = (one: Sentence) => wordsIn(one.sentence, words) - (isQuestion(one.sentence) ? asQuestion : 0);
  const all = sentences.map((one) => ({ one, score: score(one) }));
  const telling = all.filter((each) => each.score > 0);
  const scored = telling.length >= fewestPoints ? telling : all;
  const bySpeaker = Map.groupBy(scored, ({ one }) => one.name).values();
  const ranked = [...bySpeaker].flatMap((own) =>
    own.toSorted((a, b) => b.score - a.score).map(({ one, score }, rank) => ({ one, score, rank })),
  );
  const best = ranked.toSorted((a, b) => a.rank - b.rank || b.score - a.score).slice(0, mostPoints);
  const chosen = new Set(best.map(({ one }) => one));
  return sentences.filter((one) => chosen.has(one));
}

const onceEach = (sentences: readonly Sentence[]) => [
  ...new Map(sentences.map((one) => [short(one.sentence), one])).values(),
];

const isQuestion = (sentence: string) => /[?？]$/u.test(sentence);

const isAction = ({ sentence }: Sentence) =>
  /\b(?:to-?do|will|shall|let['’]s|has to|have to)\b/i.test(sentence) && !isQuestion(sentence);

const section = (heading: string, points: readonly Sentence[]) =>
  points.length > 0 ? [`${heading}:\n${bullets(points)}`] : [];

const bullets = (points: readonly Sentence[]) =>
  points.map(({ name, sentence }) => `- ${name}: ${short(sentence)}`).join("\n");

function short(sentence: string): string {
  const words = sentence.split(/\s+/);
  return words.length > mostWords ? `${words.slice(0, mostWords).join(" ")} …` : words.join(" ");
}
