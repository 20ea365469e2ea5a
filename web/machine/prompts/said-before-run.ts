/** The conversation that a run goes on from: what its request says was said before, or the runs that it continues, newest first read. */
import { repair } from "../../../conversation/repair.ts";
import { addEvent, isSaid, saidEvents } from "../../../conversation/said-events.ts";
import { Transcript } from "../../../conversation/transcript.ts";
import { FileLinesError } from "../../../files/lines/file-lines.ts";
import { RunReader } from "../../../journal/runs/read-run.ts";
import { AgentId } from "../../../protocol/names/names.ts";
import type { Message } from "../../../protocol/runs/run-config.ts";
import type { AgentEvent } from "../../../protocol/runs/event.ts";

/** So many characters of lines are read of the runs before, and so many of those runs. */
const [mostRead, mostRuns] = [4 * 1024 * 1024, 500];

/** @field isWhole whether nothing older was left out */
export type SaidBefore = { messages: Message[]; isWhole: boolean };

export async function saidBeforeRun(journal: string, request: AgentEvent): Promise<SaidBefore> {
  const own = new Transcript();
  const { prompt: _, ...before } = request;
  addEvent(own, before as AgentEvent);
  const parts: Message[][] = [own.messages()];
  const seen = new Set<string>();
  let room = mostRead;
  let next: unknown = request["continue_from"];
  while (typeof next === "string") {
    const id = AgentId.safeParse(next);
    if (!id.success || seen.has(id.data) || seen.size >= mostRuns || room <= 0)
      return { messages: repair(parts.flat()), isWhole: false };
    seen.add(id.data);
    const run = await conversationOf(journal, id.data);
    if (!run) return { messages: repair(parts.flat()), isWhole: false };
    room -= run.size;
    parts.unshift(run.messages);
    next = run.before;
  }
  return { messages: repair(parts.flat()), isWhole: true };
}

type Conversation = { messages: Message[]; size: number; before: unknown };

/** Null: its file isn't there any more, or can't be read. */
async function conversationOf(journal: string, id: string): Promise<Conversation | null> {
  const transcript = new Transcript();
  let request: AgentEvent | null = null;
  let size = 0;
  try {
    for await (const { event, line } of new RunReader(journal, id).lines(1, saidWords)) {
      if (!isSaid(event.event)) continue;
      if (event.event === "request") request ??= event;
      size += line.length;
      addEvent(transcript, event);
    }
  } catch (error) {
    if (error instanceof FileLinesError) return null;
    throw error;
  }
  return request && { messages: transcript.messages(), size, before: request["continue_from"] };
}

/** The names of the events that a conversation consists of: other lines have nothing of it. */
const saidWords = saidEvents.map((name) => Buffer.from(`"${name}"`));
