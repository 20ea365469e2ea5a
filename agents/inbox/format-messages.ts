/** Format of inbox items: as the model is given them, and as they stand in the history. Pure. */
import { visibleLine } from "../../conversation/marks/plain-text.ts";
import { systemMessage, userMessage } from "../../conversation/marks/system-message.ts";
import type { HistoryRecord, InboxItem } from "../../protocol/agents/agent-files.ts";
import type { Attachment } from "../../protocol/agents/channel.ts";
import { partsOf } from "./take-files.ts";
import { isSameSender } from "./queue.ts";

/** The history records of a turn's items; successive messages of one sender are one record. */
export function recordsOf(items: readonly InboxItem[]): HistoryRecord[] {
  return joined(items).map((group) => {
    const [first, last] = [group[0] as InboxItem, group.at(-1) as InboxItem];
    if (first.type === "system") return { ...recordOf(first), ...(first.silent && { silent: true }) };
    const text = userMessage(first.channel ?? { type: "cli", channelId: "main" }, textOf(group));
    const ids = group.map(({ id }) => id);
    const parts = partsOf(group);
    return {
      type: "user",
      ts: last.ts,
      id: first.id,
      text,
      ...(ids.length > 1 && { items: ids }),
      ...(first.channel && { channel: first.channel }),
      ...(parts.length > 0 && { parts }),
    };
  });
}

function recordOf({ id, ts, origin = "system", text }: InboxItem): HistoryRecord {
  return { type: "system", ts, id, origin, text: systemMessage(origin, text) };
}

/** The prompt that these records make. */
export function promptOf(records: readonly HistoryRecord[]): string {
  return records.map((record) => ("text" in record ? String(record.text) : "")).join("\n\n");
}

function joined(items: readonly InboxItem[]): InboxItem[][] {
  const groups: InboxItem[][] = [];
  for (const item of items) {
    const group = groups.at(-1);
    if (group?.[0] && isSameSender(group[0], item)) group.push(item);
    else groups.push([item]);
  }
  return groups;
}

function textOf(group: readonly InboxItem[]): string {
  return group.flatMap(({ text, attachments = [] }) => [text, ...attachments.map(lineOf)]).join("\n");
}

function lineOf({ name = "file", mime, type = mime, size, path, problem }: Attachment): string {
  const facts = [type, size === undefined ? undefined : `${size} bytes`].filter((fact) => fact !== undefined);
  const kind = facts.length > 0 ? ` (${visibleLine(facts.join(", "))})` : "";
  const place = path === undefined ? "" : `, stored at ${visibleLine(path)}`;
  const why = typeof problem === "string" ? `, not stored: ${visibleLine(problem)}` : "";
  return `[attachment: ${visibleLine(name)}${kind}${place}${why}]`;
}
