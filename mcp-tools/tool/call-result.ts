/** The whole result of a call in a run's conversation, by lines: `result:<call_id>`, where the model was given a part of it. */
import { historyLines, historyRecord, listArchives } from "../../journal/agents/read-history.ts";
import { linesInRange, type LineRange, type Resource } from "../../journal/notes/resources.ts";
import { RunReader } from "../../journal/runs/read-run.ts";
import { callOfResult } from "../../protocol/events/result-path.ts";
import { agentOf } from "./ask-agents.ts";
import type { ToolContext } from "./tool.ts";
import { ToolError } from "./tool-error.ts";

/** Characters of a line: a result may be a single one. What is longer goes on in the next. */
const lineLength = 2_000;

/** Runs that a conversation is followed back over. */
const mostRuns = 100;

/**
 * Lines of the result that a path names; null: it names none.
 * @throws ToolError where the conversation has no such call, ResourceError
 */
export async function readCallResult(context: ToolContext, path: string, lines: LineRange): Promise<Resource | null> {
  const callId = callOfResult(path);
  if (callId === null) return null;
  const { run, journal, place } = context;
  if (run === undefined) throw new ToolError(`only a run has results, and this call came with the commands' token`);
  const isTurn = place !== undefined && (place.is_turn === true || place.folder === undefined);
  const found =
    (await resultInRuns(journal, run, callId)) ??
    (isTurn ? resultInHistory(journal, (await agentOf(context)).agent_id, callId) : null);
  if (!found)
    throw new ToolError(`"${path}": no result of such a call is kept: call the tool again, for less at a time`);
  return linesInRange(wrapped(textOf(found.result)), path, lines);
}

type Found = { result: unknown };

/** In the file of the run or of those that it goes on from, the newest first. An id that was used twice is the later call's. */
async function resultInRuns(journal: string, run: string, callId: string): Promise<Found | null> {
  const words = ["tool_end", "request"].map((name) => Buffer.from(`"${name}"`));
  let id: unknown = run;
  for (let runs = 0; typeof id === "string" && runs < mostRuns; runs++) {
    let found: Found | null = null;
    let before: unknown;
    for await (const { event } of new RunReader(journal, id).lines(1, words)) {
      if (event.event === "request") before ??= event["continue_from"];
      if (event.event === "tool_end" && event["call_id"] === callId) found = { result: event["result"] };
    }
    if (found) return found;
    id = before;
  }
  return null;
}

/** In the history of a long-lived agent, in what was put away as well, the newest first. */
function resultInHistory(journal: string, agentId: string, callId: string): Found | null {
  for (const archive of [null, ...listArchives(journal, agentId)])
    for (const { bytes } of historyLines(journal, agentId, archive) ?? []) {
      const record = bytes.includes('"tool_result"') ? historyRecord(bytes) : null;
      if (record?.type === "tool_result" && record.call_id === callId) return { result: record["result"] };
    }
  return null;
}

const textOf = (result: unknown) => (typeof result === "string" ? result : JSON.stringify(result ?? null));

function* wrapped(text: string) {
  let number = 1;
  for (const line of text.split("\n"))
    for (let at = 0; at === 0 || at < line.length; at += lineLength)
      yield { number: number++, text: line.slice(at, at + lineLength), cut: false };
}
