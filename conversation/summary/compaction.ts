/**
 * Compaction of a conversation: where it is cut, what is kept of it as it is, and how long results are made shorter. A call stays
 * with its results. Pure.
 */
import { resultPath } from "../../protocol/events/result-path.ts";
import type { Message } from "../../protocol/runs/run-config.ts";
import { headAndTail, isShortenedOf } from "../size/head-and-tail.ts";
import { isGoOnAfterCut } from "../marks/go-on.ts";
import { isSummary } from "./summary-message.ts";
import { estimateTokens } from "../size/tokens.ts";

export type Cut = {
  /** The messages that a summary takes the place of. */
  older: Message[];
  /** The messages behind it. */
  kept: Message[];
};

/**
 * Cuts a repaired conversation. The newest messages that fit are kept, the last one with all that belongs to it in any case; and
 * of those before them what still binds: the run's prompt and the user's last words, shortened where they are long.
 * @param room tokens for the messages that are kept, by the estimate
 * @param prompt the run's: a later attempt finds it again
 * @param estimate counts the tokens of messages
 */
export function cutConversation(
  messages: readonly Message[],
  room: number,
  prompt: string,
  estimate: (messages: readonly Message[]) => number = estimateTokens,
): Cut {
  const groups = groupsOf(messages);
  let begin = groups.length;
  for (let left = room; begin > 0; begin--) {
    left -= estimate(groups[begin - 1] ?? []);
    if (left < 0 && begin < groups.length) break;
  }
  const older = groups.slice(0, begin).flat();
  const recent = groups.slice(begin).flat();
  const asked = older.findLast((message) => isPrompt(message, prompt));
  const lastWords = recent.some(isOfUser) ? undefined : older.findLast(isOfUser);
  const binding = older.filter((message) => message === asked || message === lastWords);
  return { older, kept: [...binding.map((message) => withShortText(message, room / 4)), ...recent] };
}

/** Whether anything but what is kept anyway stands before the cut. */
export function isWorthSumming({ older, kept }: Cut): boolean {
  return older.some((message) => !kept.includes(message) && !isSummary(message));
}

/**
 * Shortens results of more than so many tokens, by the estimate, to their head and tail, with how to read on.
 * @param reader the run's tool that reads a result by its path; absent: it has none
 */
export function withShortResults(messages: readonly Message[], most: number, reader?: string): Message[] {
  const args = new Map(messages.flatMap(({ calls = [] }) => calls).map((call) => [call.call_id, call.args]));
  return messages.map((message) => {
    if (message.role !== "tool" || estimateTokens([{ role: "tool", result: message.result }]) <= most) return message;
    const { result, call_id = "" } = message;
    const text = typeof result === "string" ? result : JSON.stringify(result ?? null);
    const path = reader === undefined ? null : resultPath(call_id);
    const advice = path === null ? howToGoOn(args.get(call_id)) : `Read on: ${reader} with path ${path}.`;
    return { ...message, result: headAndTail(text, most, advice) };
  });
}

/** Messages that mustn't be parted: an assistant's, and the results of its calls, or what makes it go on where it was cut off. */
function groupsOf(messages: readonly Message[]): Message[][] {
  const groups: Message[][] = [];
  for (const message of messages) {
    const group = groups.at(-1);
    if (group && belongsTo(group, message)) group.push(message);
    else groups.push([message]);
  }
  return groups;
}

/** Decides whether a message stays with the group before it. Words behind an answer that was cut off come before its other half. */
function belongsTo(group: readonly Message[], message: Message): boolean {
  if (message.role === "tool" || isGoOnAfterCut(message)) return true;
  return message.role === "user" && group.some(isGoOnAfterCut);
}

const isOfUser = (message: Message) => message.role === "user" && !isSummary(message);

const isPrompt = ({ role, text = "" }: Message, prompt: string) =>
  role === "user" && (text === prompt || isShortenedOf(text, prompt));

function withShortText(message: Message, most: number): Message {
  const { text } = message;
  if (text === undefined || estimateTokens([{ role: "user", text }]) <= most) return message;
  return { ...message, text: headAndTail(text, most) };
}

/** Arguments that name what a result is of. */
const pathNames = ["path", "file", "file_path", "url"];

function howToGoOn(args: unknown): string {
  const fields: Record<string, unknown> = typeof args === "object" && args !== null ? { ...args } : {};
  const path = pathNames.map((name) => fields[name]).find((value) => typeof value === "string" && value.length < 500);
  return typeof path === "string" ? `Read on in ${path}, a part at a time.` : "Ask for less of it at a time.";
}
