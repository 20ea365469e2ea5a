/**
 * The entries that a conversation shows of its history: days, what was said by whom, what was done for it, and its
 * tasks. Pure.
 */
import { dayKey } from "../words/time/times.ts";
import { messageIdsOf, type TalkRecord } from "./talk-record.ts";
import { textOf } from "../words/json/read-json.ts";

export type TalkFile = { id: string; name: string; mime: string };

export type TalkEntry =
  | { kind: "day"; key: string; ts: number }
  | { kind: "mine"; key: string; ts: number; text: string; channel: string; files: TalkFile[] }
  | { kind: "answer"; key: string; ts: number; text: string; channel: string | null; files: TalkFile[] }
  | { kind: "thought"; key: string; ts: number; text: string }
  | { kind: "did"; key: string; ts: number; run: string; tookMs: number; tools: number }
  | { kind: "note"; key: string; ts: number; title: string; text: string }
  | { kind: "task"; key: string; ts: number };

export type TalkScene = {
  /** The turn that goes on: what it did is not told yet. */
  run: string | null;
  /** A text of the model is what it says, where it calls no tool for that. */
  isTextReply: boolean;
  tasks: readonly { taskId: string; created: number }[];
};

const replyTool = /(?:^|__)reply$/;

export const isReply = (record: TalkRecord): boolean =>
  record.type === "tool_call" && replyTool.test(textOf(record["tool"]));

/** The ids of the messages that stand in the history: they don't wait any more. */
export const saidIds = (records: readonly TalkRecord[]): Set<string> =>
  new Set(records.filter(({ type }) => type === "user" || type === "system").flatMap(messageIdsOf));

export function talkEntries(records: readonly TalkRecord[], scene: TalkScene): TalkEntry[] {
  const turns = turnsOf(records);
  const entries: TalkEntry[] = [];
  const tasks = scene.tasks.toSorted((a, b) => a.created - b.created);
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
    while (tasks[0] !== undefined && tasks[0].created < latest) push(taskEntry(tasks.shift()));
    const run = runOf(record);
    const turn = run === null ? undefined : turns.get(run);
    const entry = entryOf(record, scene.isTextReply && turn?.replies === 0);
    if (entry) push(entry);
    if (turn !== undefined && run !== null && turn.last === index && run !== scene.run)
      push(didEntry(run, record, turn));
  });
  push(...tasks.map(taskEntry));
  return entries;
}

const taskEntry = (task: { taskId: string; created: number } | undefined): TalkEntry => ({
  kind: "task",
  key: task?.taskId ?? "",
  ts: task?.created ?? 0,
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

/**
 * Reads the text of a user, without the line that tells the model where, and those that tell it of files that are
 * shown.
 */
function saidOf(said: string, parts: unknown): { text: string; channel: string; files: TalkFile[] } {
  const [, channel = "web", text = said] = /^\[channel: ([^|\]]+?) \| [^\]]*\]\n([\s\S]*)$/.exec(said) ?? [];
  const files = filesOf(parts);
  const lines = text.split("\n");
  for (let left = files.length; left > 0 && isFileLine(lines.at(-1)); left--) lines.pop();
  return { text: lines.join("\n"), channel, files };
}

const isFileLine = (line = "") => line.startsWith("[attachment: ") && line.endsWith("]");

/** `<system_message origin="task">…</system_message>` */
const untagged = (text: string) => /^<system_message [^>]*>([\s\S]*)<\/system_message>$/.exec(text)?.[1] ?? text;

function filesOf(parts: unknown): TalkFile[] {
  if (!Array.isArray(parts)) return [];
  return parts.flatMap((part: unknown) => {
    const { id, name, mime } = (part ?? {}) as Record<string, unknown>;
    return typeof id === "string" && /^[0-9a-f]{64}$/.test(id)
      ? [{ id, name: textOf(name) || "file", mime: textOf(mime) }]
      : [];
  });
}

const runOf = (record: TalkRecord): string | null =>
  typeof record["run_id"] === "string" && record["run_id"] !== "" ? record["run_id"] : null;
