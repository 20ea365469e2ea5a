/**
 * Search of what was said to and by an agent, in what it has put away as well. The files are read from their end, the newest
 * first, without an index: a history grows with each turn, and is seldom looked through.
 */
import { setImmediate } from "node:timers/promises";
import type { HistoryRecord } from "../../protocol/agents/agent-files.ts";
import { historyLines, historyRecord, listArchives } from "../agents/read-history.ts";
import { snippetOf } from "./search-snippet.ts";
import { bestMatches, type Matched, matcherOf } from "./text-matcher.ts";

export type SaidHit = {
  agent_id: string;
  /** The run that said it, or that answered it. */
  run_id?: string;
  /** In ms. */
  ts: number;
  said_by: "user" | "agent" | "system" | "summary";
  /** The file of the conversation where it was put away. */
  archive?: string;
  snippet: string;
};

/** `isCut`: older records were left out. */
export type HistorySearch = { hits: SaidHit[]; isCut: boolean };

/** So many records of an agent, and so many bytes of them, are looked through. */
const mostRecords = 100_000;
const mostBytes = 128 * 1024 * 1024;
/** Hits that are kept to choose from, of those that have one of the words. */
const mostFound = 4_000;
/** Characters of a text. */
const longestText = 100_000;
/** Milliseconds for which it is read before others get their turn. */
const sliceMs = 20;

type Said = Omit<SaidHit, "snippet" | "agent_id"> & { text: string };
type Found = Matched & { said: Said; ts: number };

/** Finds what was said with any of some words, what has all of them first. */
export async function searchHistory(
  journal: string,
  agentId: string,
  { query, limit }: { query: string; limit: number },
): Promise<HistorySearch> {
  const matcher = matcherOf(query);
  if (!matcher) return { hits: [], isCut: false };
  const looked = { records: 0, bytes: 0, isCut: false };
  let found: Found[] = [];
  let sliceEnd = performance.now() + sliceMs;
  for (const said of saidBy(journal, agentId, looked)) {
    const matched = said && matcher.match(said.text);
    if (matched) found.push({ said, ts: said.ts, ...matched });
    if (found.length >= mostFound * 2) found = bestMatches(found, { total: looked.records, limit: mostFound });
    if (performance.now() < sliceEnd) continue;
    await setImmediate();
    sliceEnd = performance.now() + sliceMs;
  }
  const hits = bestMatches(found, { total: looked.records, limit }).map(({ said: { text, ...where } }) => ({
    agent_id: agentId,
    ...where,
    snippet: snippetOf(matcher.marked(text)).text,
  }));
  return { hits, isCut: looked.isCut };
}

/** Yields what was said, the newest first; null for each record that says nothing. */
function* saidBy(
  journal: string,
  agentId: string,
  looked: { records: number; bytes: number; isCut: boolean },
): Generator<Said | null> {
  for (const archive of [null, ...listArchives(journal, agentId)]) {
    let run: string | undefined;
    for (const { bytes } of historyLines(journal, agentId, archive) ?? []) {
      if (looked.records >= mostRecords || looked.bytes >= mostBytes) {
        looked.isCut = true;
        return;
      }
      looked.records += 1;
      looked.bytes += bytes.length;
      const record = mayBeSaid(bytes) ? historyRecord(bytes) : null;
      if (record && "run_id" in record && typeof record.run_id === "string") run = record.run_id;
      yield record && saidIn(record, run, archive);
    }
  }
}

/**
 * Tool calls and their results, often long, are told without being parsed: no text holds this, since its quotes are
 * escaped. A summary may be in a record with the messages that were kept.
 */
const mayBeSaid = (line: Buffer) => !line.includes('"type":"tool_') || line.includes('"type":"compact"');

function saidIn(record: HistoryRecord, run: string | undefined, archive: string | null): Said | null {
  const speaker = speakers[record.type];
  const text = textOf(record);
  if (speaker === null || text === "") return null;
  return {
    ts: record.ts,
    said_by: speaker,
    text: text.slice(0, longestText),
    ...(run !== undefined && speaker !== "summary" && { run_id: run }),
    ...(archive !== null && { archive }),
  };
}

const speakers: Record<HistoryRecord["type"], SaidHit["said_by"] | null> = {
  user: "user",
  assistant: "agent",
  system: "system",
  compact: "summary",
  start: null,
  reset: null,
  reasoning: null,
  tool_call: null,
  tool_result: null,
};

function textOf(record: HistoryRecord): string {
  if (record.type === "compact") return record.summary;
  return record.type === "user" || record.type === "assistant" || record.type === "system" ? record.text : "";
}
