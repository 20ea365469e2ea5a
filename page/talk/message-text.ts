/** The words and files of a message, as its sender wrote them. Pure. */
import { textOf } from "../words/json/read-json.ts";
import type { TalkFile } from "./talk-entry.ts";

/**
 * Reads the text of a user, without the line that tells the model where, and those that tell it of files that are
 * shown.
 */
export function saidOf(said: string, parts: unknown): { text: string; channel: string; files: TalkFile[] } {
  const [, channel = "web", text = said] = /^\[channel: ([^|\]]+?) \| [^\]]*\]\n([\s\S]*)$/.exec(said) ?? [];
  const files = filesOf(parts);
  const lines = text.split("\n");
  for (let left = files.length; left > 0 && isFileLine(lines.at(-1)); left--) lines.pop();
  return { text: lines.join("\n"), channel, files };
}

const isFileLine = (line = "") => line.startsWith("[attachment: ") && line.endsWith("]");

export function filesOf(parts: unknown): TalkFile[] {
  if (!Array.isArray(parts)) return [];
  return parts.flatMap((part: unknown) => {
    const { id, name, mime } = (part ?? {}) as Record<string, unknown>;
    return typeof id === "string" && /^[0-9a-f]{64}$/.test(id)
      ? [{ id, name: textOf(name) || "file", mime: textOf(mime) }]
      : [];
  });
}
