/**
 * The entries that a conversation shows of its history: days, what was said by whom, what was done for it or failed, and
 * its tasks. Pure.
 */
import { dayKey } from "../words/time/times.ts";
import { textOf } from "../words/json/read-json.ts";
import { judgeOf } from "./asked-again.ts";
import { filesOf, saidOf } from "./message-text.ts";
import type { TalkEntry, TalkScene, TurnFailure } from "./talk-entry.ts";
import { messageIdsOf, runOf, type TalkRecord } from "./talk-record.ts";

const replyTool = /(?:^|__)reply$/;

export const isReply = (record: TalkRecord): boolean =>
  record.type === "tool_call" && replyTool.test(textOf(record["tool"]));

/** The ids of the messages that stand in the history: they don't wait any more. */
export const saidIds = (records: readonly TalkRecord[]): Set<string> =>
  new Set(records.filter(({ type }) => type === "user" || type === "system").flatMap(messageIdsOf));

export function talkEntries(records: readonly TalkRecord[], scene: TalkScene): TalkEntry[] {
  const turns = turnsOf(records);
  const entries: TalkEntry[] = [];
  const judge = judgeOf(records, scene);
  const failedEntry = (failure: TurnFailure): TalkEntry => {
    return { kind: "failed", key: `failed ${failure.run}`, ts: failure.ts, failure, ...judge(failure) };
  };
  const failures = new Map(scene.failures.filter(({ run }) => run !== scene.run).map((one) => [one.run, one]));
  const begin = scene.hasOlder ? (records[0]?.ts ?? 0) : 0;
  const unplaced = [...failures.values()].filter(({ run, ts }) => !turns.has(run) && ts >= begin);
  const timed = [...scene.tasks.map(taskEntry), ...unplaced.map(failedEntry)].toSorted((a, b) => a.ts - b.ts);
  let day = "";
  const push = (...more: TalkEntry[]) => {
    for (const entry of more) {
      const key = dayKey(entry.ts);
      if (key !== day) entries.push({ kind: "day", key: `day ${key} ${entry.key}`, ts: entry.ts });
      day = key;
      entries.push(entry);
    }
  };
  let latest = 0;
  records.forEach((record, index) => {
    // What was said while a turn went on stands behind it, and is older.
    latest = Math.max(latest, record.ts);
    while (timed[0] !== undefined && timed[0].ts < latest) push(...timed.splice(0, 1));
    const run = runOf(record);
    const turn = run === null ? undefined : turns.get(run);
    const entry = entryOf(record, scene.isTextReply && turn?.replies === 0);
    if (entry) push(entry);
    if (turn === undefined || run === null || turn.last !== index || run === scene.run) return;
    const failure = failures.get(run);
    push(failure === undefined ? didEntry(run, record, turn) : failedEntry(failure));
  });
  push(...timed);
  return entries;
}

const taskEntry = ({ taskId, created }: TalkScene["tasks"][number]): TalkEntry => ({
  kind: "task",
  key: taskId,
  ts: created,
});

type TalkTurn = { last: number; tools: number; replies: number };

function turnsOf(records: readonly TalkRecord[]): Map<string, TalkTurn> {
  const turns = new Map<string, TalkTurn>();
  records.forEach((record, index) => {
    const run = runOf(record);
    if (run === null) return;
    const turn = turns.get(run) ?? { last: index, tools: 0, replies: 0 };
    turns.set(run, turn);
    turn.last = index;
    if (isReply(record)) turn.replies++;
    else if (record.type === "tool_call") turn.tools++;
  });
  return turns;
}

/** A run's id is when it began, in ms. */
function didEntry(run: string, record: TalkRecord, { tools }: TalkTurn): TalkEntry {
  return { kind: "did", key: `did ${run}`, ts: record.ts, run, tookMs: Math.max(0, record.ts - Number(run)), tools };
}

function entryOf(record: TalkRecord, isTextReply: boolean): TalkEntry | null {
  const { id: key, ts } = record;
  if (isReply(record)) {
    const { text, channelType, attachments } = (record["args"] ?? {}) as Record<string, unknown>;
    const channel = typeof channelType === "string" ? channelType : null;
    return { kind: "answer", key, ts, text: textOf(text), channel, files: filesOf(attachments) };
  }
  // These only say which turn a message belongs to.
  if (record["moved"] !== undefined || record["again_of"] !== undefined) return null;
  const text = textOf(record["text"]);
  switch (record.type) {
    case "user":
      return { kind: "mine", key, ts, ...saidOf(text, record["parts"]) };
    case "assistant":
      return isTextReply
        ? { kind: "answer", key, ts, text, channel: null, files: [] }
        : { kind: "thought", key, ts, text };
    case "system":
      return {
        kind: "note",
        key,
        ts,
        title: noteTitle(textOf(record["origin"])),
        text: untagged(text),
      };
    case "compact":
      return { kind: "note", key, ts, title: "From here on it goes by a summary", text: textOf(record["summary"]) };
    case "reset":
      return { kind: "note", key, ts, title: "A new conversation", text: "" };
    default:
      return null;
  }
}

/** `task:…`, `agent:…` name whom it is from. */
const noteTitle = (origin: string) => noteTitles.get(origin.split(":", 1)[0] ?? "") ?? "Told by Cortex";

const noteTitles: ReadonlyMap<string, string> = new Map([
  ["task", "News of a task"],
  ["agent", "From another agent"],
  ["permissions", "About a question"],
  ["channels", "About a message"],
  ["process", "News of a program"],
  ["cron", "Its time has come"],
  ["heartbeat", "It looked around"],
]);

/** `<system_message origin="task">…</system_message>` */
const untagged = (text: string) => /^<system_message [^>]*>([\s\S]*)<\/system_message>$/.exec(text)?.[1] ?? text;
