/** The conversation that a run goes on from: its chain's files, oldest first, and its own former attempts. */
import { fromChain, fromEvents } from "../conversation/from-events.ts";
import { readRun } from "../journal/read-run.ts";
import type { AgentEvent } from "../protocol/event.ts";
import { AgentId } from "../protocol/names.ts";
import type { Message } from "../protocol/run-config.ts";
import { ConfigError } from "./config-error.ts";

/** A chain longer than this has a loop in it, or was forged. */
const maxLinks = 10_000;

/**
 * The history of a run that continues from another.
 * @param isQueued whether an id waits: it has no file yet
 * @throws ConfigError when a run of the chain isn't there or hasn't ended
 */
export function chainHistory(journal: string, continueFrom: string, isQueued: (agentId: string) => boolean): Message[] {
  const chain: AgentEvent[][] = [];
  const seen = new Set<string>();
  for (let id: string | undefined = continueFrom; id !== undefined; ) {
    if (!AgentId.safeParse(id).success) throw new ConfigError(`cannot continue from ${id}: not found`);
    if (seen.has(id) || seen.size > maxLinks)
      throw new ConfigError(`cannot continue from ${id}: its chain leads to itself`);
    seen.add(id);
    const run = readRun(journal, id);
    if (run?.isActive || (!run && isQueued(id))) throw new ConfigError(`cannot continue from ${id}: still running`);
    if (!run) throw new ConfigError(`cannot continue from ${id}: not found`);
    chain.unshift(run.events);
    const before: unknown = run.events.find((event) => event.event === "request")?.["continue_from"];
    id = typeof before === "string" ? before : undefined;
  }
  return fromChain(chain);
}

/** What former attempts of this run did; nothing when they came to nothing but the question. */
export function attemptHistory(events: AgentEvent[]): Message[] {
  const messages = fromEvents(events);
  return messages.some((message) => message.role !== "user") ? messages : [];
}
