/** The conversation of a session before it was opened, told from the files: its runs, or the history of its agent. */
import { readHistory } from "../../journal/agents/read-history.ts";
import { beginsConversation } from "../../journal/agents/agent-history.ts";
import { RunReader } from "../../journal/runs/read-run.ts";
import { runFile } from "../../journal/runs/run-files.ts";
import { type AgentEvent, isTerminal } from "../../protocol/runs/event.ts";
import { isRecord } from "../../protocol/json/json-object.ts";
import { textField } from "../../protocol/runs/text-field.ts";
import { askAgents } from "../base/ask-agents.ts";
import { isAgent } from "../choices/modes.ts";
import { historyUpdates } from "../updates/history-updates.ts";
import type { SessionContext } from "./session-context.ts";

/** Records of an agent's conversation that are told, the newest. */
const mostRecords = 2000;

/** A run that goes on: up to which line of its file it was told, and the questions that wait there. */
export type OpenRun = { run: string; toldSeq: number; questions: AgentEvent[] };

/**
 * @param isShown whether the editor wants to be told; else it is only counted what was spent
 * @returns the session's last run, where it goes on
 */
export async function replayRuns(session: SessionContext, isShown: boolean): Promise<OpenRun | null> {
  const { deps, record } = session;
  let open: OpenRun | null = null;
  for (const run of record.runs) {
    open = { run, toldSeq: 0, questions: [] };
    for await (const event of new RunReader(deps.journal, run).events()) {
      open.toldSeq = event.seq;
      await session.replay(event, isShown && !isAgent(record.mode));
      open.questions = questionsBehind(open.questions, event);
      if (isTerminal(event)) open = { ...open, toldSeq: Infinity };
    }
  }
  return open && open.toldSeq !== Infinity && runFile(deps.journal, open.run) !== null ? open : null;
}

function questionsBehind(waiting: readonly AgentEvent[], event: AgentEvent): AgentEvent[] {
  if (event.event === "permission") return [...waiting, event];
  if (event.event !== "permission_decided") return [...waiting];
  return waiting.filter((one) => textField(one, "id") !== textField(event, "id"));
}

/** Tells the conversation of the session's agent, since it last began anew. Of one that nobody has spoken to there is none. */
export async function replayAgent({ deps, out }: SessionContext, agent: string): Promise<void> {
  const { journal } = deps;
  const page = readHistory(journal, agent, { archive: null, before: null, limit: mostRecords });
  if (!page) return;
  const { agent: row } = await askAgents(deps, "agents show", { agent_id: agent });
  const begin = page.items.findLastIndex(beginsConversation) + 1;
  const isTextReply = isRecord(row) && row["text_is_reply"] === true;
  await out.send(historyUpdates(journal, page.items.slice(begin), isTextReply));
}
