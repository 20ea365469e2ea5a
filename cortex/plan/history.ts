/** The conversation that a run goes on from: its chain's files, oldest first, and its own former attempts. */
import { repair } from "../../conversation/repair.ts";
import { addEvent, isSaid, saidEvents } from "../../conversation/said-events.ts";
import { Transcript } from "../../conversation/transcript.ts";
import { FileLinesError } from "../../files/lines/file-lines.ts";
import { RunReader } from "../../journal/runs/read-run.ts";
import { runFile, runState } from "../../journal/runs/run-files.ts";
import { AgentId } from "../../protocol/names/names.ts";
import type { Message } from "../../protocol/runs/run-config.ts";
import { ConfigError } from "../model/config-error.ts";

/** A chain longer than this has a loop in it, or was forged. */
const maxLinks = 10_000;

/** The lines of a conversation that is gone on from, in characters: many times what a model takes. */
const maxHistory = 32 * 1024 * 1024;

/**
 * The history of a run that continues from another.
 * @param isQueued whether an id waits: it has no file yet
 * @throws ConfigError when a run of the chain isn't there, hasn't ended or can't be read, or when all is too much
 */
export async function chainHistory(
  journal: string,
  continueFrom: string,
  isQueued: (agentId: string) => boolean,
): Promise<Message[]> {
  const chain: Conversation[] = [];
  const seen = new Set<string>();
  let size = 0;
  for (let id: string | undefined = continueFrom; id !== undefined; ) {
    if (!AgentId.safeParse(id).success) throw notFound(id);
    if (seen.has(id) || seen.size > maxLinks)
      throw new ConfigError(`cannot continue from ${id}: its chain leads to itself`);
    seen.add(id);
    const state = runState(journal, id);
    if (state === "active" || (state === "absent" && isQueued(id)))
      throw new ConfigError(`cannot continue from ${id}: still running`);
    if (runFile(journal, id) === null) throw notFound(id);
    const run = await conversationOf(journal, id, `cannot continue from ${id}`, maxHistory - size);
    size += run.size;
    chain.unshift(run);
    // What was said before a summary stands in it.
    id = run.isFromSummary ? undefined : run.before;
  }
  return repair(chain.flatMap(({ messages }) => messages));
}

const notFound = (id: string) => new ConfigError(`cannot continue from ${id}: not found`, "config", "source_missing");

/** The conversation that an attempt goes on from. @field hasPrompt whether it holds what the run was asked */
export type AttemptHistory = { messages: Message[]; hasPrompt: boolean };

/**
 * Reads what the run goes on from after its former attempts: what was said before it, and what was said in them; nothing of
 * them where that is no more than the prompt, and nothing of what was said before a summary that they wrote.
 */
export async function attemptHistory(
  journal: string,
  agentId: string,
  before: readonly Message[] = [],
): Promise<AttemptHistory> {
  const what = "cannot go on from the attempt before";
  const run = await conversationOf(journal, agentId, what, maxHistory, { isWithBefore: false });
  if (run.isFromSummary) return { messages: run.messages, hasPrompt: true };
  const hasPrompt = run.hasInput || run.messages.some(({ role }) => role !== "user");
  return { messages: [...before, ...(hasPrompt ? run.messages : [])], hasPrompt };
}

/** The words of a run. */
type Conversation = {
  messages: Message[];
  /** Characters of its lines. */
  size: number;
  /** The run that it goes on from. */
  before: string | undefined;
  isFromSummary: boolean;
  hasInput: boolean;
};

/** @param isWithBefore whether what its request says was said before counts as well: a run's own attempts are told it anyway */
async function conversationOf(
  journal: string,
  agentId: string,
  what: string,
  room: number,
  { isWithBefore = true } = {},
): Promise<Conversation> {
  const transcript = new Transcript();
  let before: unknown;
  let hasRequest = false;
  let hasInput = false;
  let size = 0;
  try {
    for await (const { event, line } of new RunReader(journal, agentId).lines(1, saidWords)) {
      if (!isSaid(event.event)) continue;
      if (!hasRequest && event.event === "request") [hasRequest, before] = [true, event["continue_from"]];
      hasInput ||= event.event === "input";
      size = event.event === "compacted" ? line.length : size + line.length;
      if (size > room)
        throw new ConfigError(`${what}: its conversation is longer than ${maxHistory} characters: begin a new one`);
      addEvent(transcript, isWithBefore ? event : { ...event, conversation: undefined });
    }
  } catch (error) {
    if (error instanceof FileLinesError) throw new ConfigError(`${what}: ${error.message}`);
    throw error;
  }
  return {
    messages: repair(transcript.messages()),
    size,
    before: typeof before === "string" ? before : undefined,
    isFromSummary: transcript.isFromSummary,
    hasInput,
  };
}

/** The names of the events that a conversation consists of: other lines needn't be parsed. */
const saidWords = saidEvents.map((name) => Buffer.from(`"${name}"`));
