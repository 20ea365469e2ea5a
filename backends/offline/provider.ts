/**
 * `offline`: a provider that needs no key and no network. It answers from the journal itself, with the tools that it is given,
 * through the same loop as any model. What it does next follows from the conversation alone, so it is the same each time.
 */
import type { Message, RunConfig } from "../../protocol/runs/run-config.ts";
import type { Chunk, ModelCall, Provider, ToolDescription } from "../provider/provider.ts";
import { answerOf, checkOf, type JournalFindings, noToolsAnswer } from "./answer.ts";
import type { Citation } from "./citations.ts";
import { daysOf } from "./dates.ts";
import { paragraphOf, type Passage, passagesIn } from "./passages.ts";
import { type QuestionContext, type Question, questionOf } from "./question.ts";
import { summaryOf } from "./summary.ts";
import { voiceStep } from "./voice.ts";

type Args = Record<string, unknown>;
type Call = { tool: string; args: Args };

const limit = 20;

/** Events are asked for day by day; for a longer time they would be too many. */
const maxEventDays = 7;

/** So many of the best passages are read on, where they are no more than a heading or were cut. */
const maxReadings = 3;
const readingLines = 8;
/** The notes of a day that is asked for. */
const maxDayReadings = 12;

/** All of what some days have, in its order. */
const everything = "*";

const nothingUsed = { input_tokens: 0, cached_input_tokens: 0, output_tokens: 0, reasoning_tokens: 0, cost_usd: 0 };

/** `day` and `facet` are those of the request. */
export function offline(config: RunConfig): Provider {
  const about = { day: textField(config, "day"), facet: textField(config, "facet") };
  return {
    name: "offline",
    defaultModel: "extractive",
    // It reads whatever there is.
    isLocal: true,
    contextWindow: () => Promise.resolve(Number.POSITIVE_INFINITY),
    async *stream(call): AsyncGenerator<Chunk> {
      yield* next(call, { ...about, context: call.context });
      yield { type: "usage", usage: nothingUsed };
      yield { type: "end", stop: "end" };
    },
  };
}

function textField(config: RunConfig, name: string): string | undefined {
  const value = config[name];
  return typeof value === "string" ? value : undefined;
}

function next(call: ModelCall, about: QuestionContext): Chunk[] {
  const done = callsSinceQuestion(call.messages);
  const voice = voiceStep(call.messages, call.toolChoice === "auto" ? call.tools : [], done.length > 0);
  if (voice) {
    const calls = voice.calls.map(({ tool, args }): Chunk => ({ type: "call", call_id: "", tool, args }));
    return calls.length > 0 ? calls : [{ type: "text", text: voice.thought }];
  }
  const summary = done.length === 0 ? summaryOf(call.messages) : null;
  if (summary !== null) return pieces(summary).map((piece) => ({ type: "text", text: piece }));
  const question = questionOf(call.messages, about);
  const calls = call.toolChoice === "auto" ? toDo(question, done, call.tools) : [];
  if (calls.length > 0) return calls.map(({ tool, args }) => ({ type: "call", call_id: "", tool, args }));
  const text = answer(question, done, call.tools);
  return pieces(text).map((piece) => ({ type: "text", text: piece }));
}

/** A call that was made for the present question, with what came of it. */
type Done = Call & { result: string; isError: boolean };

function callsSinceQuestion(messages: readonly Message[]): Done[] {
  const since = messages.slice(messages.findLastIndex((message) => message.role === "user") + 1);
  const results = new Map(since.map((message) => [message.call_id, message]));
  return since
    .flatMap((message) => message.calls ?? [])
    .map(({ call_id, tool, args }) => {
      const message = results.get(call_id);
      const result = typeof message?.result === "string" ? message.result : JSON.stringify(message?.result ?? "");
      return { tool, args: args as Args, result, isError: message?.is_error === true };
    });
}

/** Sources that are named are read. Otherwise it searches, then reads on where the best passages stop short. */
function toDo(question: Question, done: readonly Done[], tools: readonly ToolDescription[]): Call[] {
  if (done.length === 0) {
    const lookUps = offered(question.citations.map(reading), tools);
    return lookUps.length > 0 ? lookUps : offered(searches(question), tools);
  }
  if (done.some(({ tool }) => tool === "get_resource")) return [];
  return offered(readings(findingsIn(done).passages, isOneDay(question.days) ? maxDayReadings : maxReadings), tools);
}

const isOneDay = (days: Question["days"]) => days !== undefined && days.from === days.to;

function searches({ words, days, facet }: Question): Call[] {
  const where = facet === undefined ? {} : { facet };
  const range = days ? { day_from: days.from, day_to: days.to } : {};
  // A question about a day looks at that day: its notes count where none has the words.
  const queries = [words.join(" "), ...(isOneDay(days) || (days && words.length === 0) ? [everything] : [])].filter(
    Boolean,
  );
  return [
    ...queries.map((query) => ({ tool: "search_journal", args: { query, limit, ...range, ...where } })),
    ...(days ? daysOf(days, maxEventDays) : []).map((day) => ({ tool: "get_events", args: { day, ...where } })),
  ];
}

function readings(passages: readonly Passage[], most: number): Call[] {
  const unique = [...new Map(passages.map((passage) => [`${passage.path}:${passage.line}`, passage])).values()];
  return unique
    .slice(0, most)
    .filter(({ path, text }) => /\.(md|txt)$/.test(path) && (text.length < 60 || text.endsWith("…")))
    .map(reading);
}

function reading({ path, line }: Passage | Citation): Call {
  // A line of JSONL is a record of its own.
  return { tool: "get_resource", args: { path, from: line, to: path.endsWith(".jsonl") ? line : line + readingLines } };
}

/** The calls that the server's tools can take, with the arguments that they know. */
function offered(calls: readonly Call[], tools: readonly ToolDescription[]): Call[] {
  return calls.flatMap(({ tool, args }) => {
    const schema = tools.find(({ name }) => name === tool)?.schema;
    if (!schema) return [];
    const known = Object.keys((schema["properties"] as Args | undefined) ?? {});
    return [{ tool, args: Object.fromEntries(Object.entries(args).filter(([name]) => known.includes(name))) }];
  });
}

function answer(question: Question, done: readonly Done[], tools: readonly ToolDescription[]): string {
  const searched = done.some(({ tool }) => tool === "search_journal" || tool === "get_events");
  if (done.length > 0 && !searched)
    return checkOf(question.citations.map((citation) => ({ citation, source: readAt(done, citation) })));
  const canSearch = tools.some(({ name }) => name === "search_journal" || name === "get_events");
  return searched || canSearch ? answerOf(question, findingsIn(done)) : noToolsAnswer;
}

function findingsIn(done: readonly Done[]): JournalFindings {
  const of = (name: string) =>
    done.filter(({ tool, isError }) => tool === name && !isError).flatMap(({ result }) => passagesIn(result));
  return {
    passages: of("search_journal").map((passage) => {
      const read = readAt(done, passage);
      return read === undefined ? passage : { ...passage, text: paragraphOf(read) };
    }),
    events: of("get_events"),
    problems: done.filter(({ isError }) => isError).map(({ result }) => result),
  };
}

/** The text that was read from a position on, if any. */
function readAt(done: readonly Done[], { path, line }: Passage | Citation): string | undefined {
  return done.find(
    ({ tool, args, isError }) => tool === "get_resource" && !isError && args["path"] === path && args["from"] === line,
  )?.result;
}

/** A line at a time, as a model would stream it. */
function pieces(text: string): string[] {
  return text.split(/(?<=\n)/);
}
