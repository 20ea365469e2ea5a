/** The whole result of a call in a run's conversation, by lines: `result:<call_id>`, where the model was given a part of it. */
import { setImmediate } from "node:timers/promises";
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

/** Bytes of a history that are looked through, and milliseconds for which it is read before others get their turn. */
const [mostBytes, sliceMs] = [128 * 1024 * 1024, 20];

/**
 * Lines of the result that a path names; null: it names none.
 * @throws ToolError where the conversation has no such call, ResourceError, FileLinesError
 */
export async function readCallResult(context: ToolContext, path: string, lines: LineRange): Promise<Resource | null> {
  const callId = callOfResult(path);
  if (callId === null) return null;
  const { run, journal, place } = context;
  if (run === undefined)
    throw new ToolError(
      `"${path}": only a run has results, and this call came with the commands' token: cortex runs show <id> shows a run's`,
    );
  const isTurn = place !== undefined && (place.is_turn === true || place.folder === undefined);
  const found =
    (await resultInRuns(journal, run, callId)) ??
    (isTurn ? await resultInHistory(journal, (await agentOf(context)).agent_id, callId) : null);
  if (!found)
    throw new ToolError(`"${path}": no result of such a call is kept: call the tool again, for less at a time`);
  return linesInRange(wrapped(textOf(found.result)), path, lines);
}

type Found = { result: unknown };

/**
 * In the file of the run or of those that it goes on from, the newest first. An id that was used twice is the later call's.
 * @throws FileLinesError
 */
async function resultInRuns(journal: string, run: string, callId: string): Promise<Found | null> {
  const words = [JSON.stringify(callId), '"request"'].map((word) => Buffer.from(word));
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
async function resultInHistory(journal: string, agentId: string, callId: string): Promise<Found | null> {
  const word = JSON.stringify(callId);
  let [bytesLeft, sliceEnd] = [mostBytes, performance.now() + sliceMs];
  for (const archive of [null, ...listArchives(journal, agentId)])
    for (const { bytes } of historyLines(journal, agentId, archive) ?? []) {
      bytesLeft -= bytes.length;
      if (bytesLeft < 0) return null;
      const record = bytes.includes(word) ? historyRecord(bytes) : null;
      if (record?.type === "tool_result" && record.call_id === callId) return { result: record["result"] };
      if (performance.now() < sliceEnd) continue;
      await setImmediate();
      sliceEnd = performance.now() + sliceMs;
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
