/**
 * Chooses how much of a context an agent is shown: all of it, then the last 20 messages, then a summary of those before them,
 * then all that without the workspace's page. Pure.
 */
import type { Message } from "../records/thread.ts";
import {
  type AgentContext,
  assembleContext,
  type ContextSize,
  contextSizes,
  type ContextSources,
  recentMessages,
  spokenIn,
} from "./assemble-context.ts";
import { type ContextRoom, fits } from "./context-room.ts";
import { longestSummary } from "./summary-request.ts";

export type FittingContext =
  | { kind: "context"; size: ContextSize; context: AgentContext }
  /** These messages have to be summed up first. */
  | { kind: "summarize"; messages: readonly Message[] }
  /** Not even the least of it goes into a request. */
  | { kind: "too_long" };

/** The summary of messages; null: there is none to be had; undefined: nobody has tried. */
export type SummaryOf = (messages: readonly Message[]) => string | null | undefined;

/** @param from the most that it may be: what was larger was too long for the provider */
export function fittingContext(
  all: ContextSources,
  room: ContextRoom,
  from: ContextSize,
  summaryOf: SummaryOf,
): FittingContext {
  const sources = { ...all, earlier: spokenIn(all) };
  for (const size of contextSizes.slice(contextSizes.indexOf(from))) {
    if (size === "whole" || size === "recent") {
      if (isMoreThan(room.mostBytes, sources, size === "whole" ? Number.POSITIVE_INFINITY : recentMessages)) continue;
      const context = assembleContext(sources, size);
      if (fits(context, room)) return { kind: "context", size, context };
      continue;
    }
    const most = mostBeside(sources, size, room);
    const messages = olderThan(sources, most);
    const summary = messages.length === 0 ? null : summaryOf(messages);
    if (summary === undefined) return { kind: "summarize", messages };
    const context = assembleContext({ ...sources, summary }, size, most);
    if (fits(context, room)) return { kind: "context", size, context };
    // The estimate may be wrong: the provider decides what its model takes.
    if (size === "least" && fits(context, { ...room, window: Number.POSITIVE_INFINITY }))
      return { kind: "context", size, context };
  }
  return { kind: "too_long" };
}

/** Whether the last messages have more than so many characters: then they needn't be looked at more closely to not fit. */
function isMoreThan(characters: number, { earlier }: Pick<ContextSources, "earlier">, most: number): boolean {
  return earlier.slice(-most).reduce((sum, { text }) => sum + text.length, 0) > characters;
}

/** How many messages fit beside a summary: the usual number, or fewer where they are long. */
function mostBeside(sources: ContextSources, size: ContextSize, room: ContextRoom): number {
  const placeholder = { ...sources, summary: "x".repeat(longestSummary) };
  for (let most = recentMessages; most > 0; most--)
    if (!isMoreThan(room.mostBytes, sources, most) && fits(assembleContext(placeholder, size, most), room)) return most;
  return 0;
}

/** Lists the messages before those that are shown. */
function olderThan(sources: ContextSources, most: number): readonly Message[] {
  const spoken = spokenIn(sources);
  return spoken.slice(0, Math.max(0, spoken.length - most));
}
