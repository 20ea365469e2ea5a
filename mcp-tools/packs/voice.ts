/** The pack `voice`: what the main agent speaks with, and what it needs to know before it does. */
import { z } from "zod";
import { maxDataBytes } from "../../files/attachment-rules.ts";
import { readArchive } from "../../journal/agents/session-archive.ts";
import { readSkill, withArguments } from "../../journal/agents/skills.ts";
import { packageFile } from "../../proc/programs/package-file.ts";
import { channelTypePattern } from "../../protocol/agents/channel.ts";
import { agentOf } from "../tool/ask-agents.ts";
import { filePath, lineRange, linesAnswer, linesRead, longText, message, oneLine } from "../tool/arguments.ts";
import { forwarded } from "../tool/forwarded.ts";
import { defineTool, reachesPeople, reads, type Tool } from "../tool/tool.ts";
import { ToolError } from "../tool/tool-error.ts";
import { searchHistory } from "./search-history.ts";

/** Base64 of what a message holds at most. */
const maxDataCharacters = Math.ceil(maxDataBytes / 3) * 4;

const noChannel =
  "expected the id of the channel to answer on: it stands after id: in the line that begins with [channel: …] above the user's message";

const reply = forwarded({
  name: "reply",
  title: "Reply",
  description:
    "Say something to a user: the only way to speak. It is delivered on the channel that you name, which may be another " +
    "than the one you were addressed on. A message tells you when it couldn't be delivered.",
  input: {
    text: message("The text of the message."),
    // Left out, it gets the same answer as an empty one: where to find it.
    channelId: z
      .preprocess((value) => value ?? "", z.string().min(1, noChannel).max(256, "expected at most 256 characters"))
      .meta({ description: "The channel's id, as the line [channel: …] gives it." }),
    channelType: z
      .string()
      .regex(channelTypePattern, "expected a channel's type: lower-case letters, digits and -")
      .optional()
      .meta({
        description: "The channel's type, as that line gives it. Default: that of the last message with this id.",
      }),
    replyTo: oneLine(256, "The thread within the channel, as that line gives it.").optional(),
    attachments: z
      .array(
        z.object({
          path: filePath("A file of your work folder, or of the journal.").optional(),
          id: z
            .string()
            .regex(/^[0-9a-f]{64}$/)
            .optional()
            .meta({ description: "The id of a file of this conversation: the text after 'attachment:' in its line." }),
          name: oneLine(256, "Its name, where it shall have another.").optional(),
          mime: oneLine(256, "With data: its media type.").optional(),
          data: z
            .string()
            .max(maxDataCharacters)
            .optional()
            .meta({ description: "Its content in base64, for a small one that is in neither place." }),
        }),
      )
      .max(10)
      .optional()
      .meta({
        description:
          "Files that go with it, each by path, id or data. Where a channel can't carry files, it says their names.",
      }),
  },
  output: { queued: z.boolean(), id: z.string() },
  annotations: reachesPeople,
});

const currentTime = defineTool({
  name: "current_time",
  title: "Current time",
  description: "Return the current time and day, in the user's time zone or another one.",
  input: { timezone: oneLine(64, "Such as Europe/Berlin. Default: the user's.").optional() },
  output: {
    iso: z.string().meta({ description: "With the offset of the zone." }),
    unix_ms: z.number().int(),
    timezone: z.string(),
    weekday: z.string(),
  },
  // The same call gives another time, but changes nothing.
  annotations: reads,
  run({ timezone }, context) {
    const now = Date.now();
    const { iso, weekday, zone } = timeIn(timezone ?? context.timeZone, now);
    return { text: `${weekday}, ${iso} (${zone})`, structured: { iso, unix_ms: now, timezone: zone, weekday } };
  },
});

const sessionArchiveRead = defineTool({
  name: "session_archive_read",
  title: "Read an archived session",
  description:
    "Read an earlier part of your own conversation, which was summarised and put away, or lines of it: JSON, a record a " +
    "line. A long one is cut; the last line then says how to go on.",
  input: { file: oneLine(128, "The archive's file name, as the summary gives it."), ...lineRange },
  output: { file: z.string(), ...linesRead },
  annotations: reads,
  async run({ file, from = 1, ...lines }, context) {
    const { agent_id } = await agentOf(context);
    const { text, structured } = linesAnswer(readArchive(context.journal, agent_id, file, { from, ...lines }));
    return { text, structured: { file, ...structured } };
  },
});

const useSkill = defineTool({
  name: "use_skill",
  title: "Use a skill",
  description: "Read the instructions of a skill, to follow them.",
  input: {
    skill: oneLine(64, "Its name."),
    args: longText(16_000, "The input of the skill, where it takes one.").optional(),
  },
  output: { skill: z.string(), description: z.string() },
  annotations: reads,
  async run({ skill: name, args = "" }, { journal }) {
    const { description, isForModels, body } = await readSkill(journal, name, packageFile("skills"));
    if (!isForModels)
      throw new ToolError(`the skill "${name}" is for the user alone (disable-model-invocation): go on without it`);
    return { text: withArguments(body, args), structured: { skill: name, description } };
  },
});

export const voicePack: readonly Tool[] = [reply, currentTime, sessionArchiveRead, searchHistory, useSkill];

/** The pack `basics`: what any agent may need, also one that doesn't speak. */
export const basicsPack: readonly Tool[] = [currentTime, useSkill];

function timeIn(timeZone: string, now: number): { iso: string; weekday: string; zone: string } {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone,
      weekday: "long",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
      hourCycle: "h23",
      timeZoneName: "longOffset",
    });
  } catch {
    throw new ToolError(`timezone: "${timeZone}" is none: expected one such as Europe/Berlin, or UTC`);
  }
  const parts = Object.fromEntries(format.formatToParts(now).map(({ type, value }) => [type, value]));
  const { year, month, day, hour, minute, second, weekday = "", timeZoneName = "" } = parts;
  // "GMT+01:00"; "GMT" alone is not an offset.
  const offset = timeZoneName.replace("GMT", "") || "+00:00";
  const zone = format.resolvedOptions().timeZone;
  return { iso: `${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`, weekday, zone };
}
