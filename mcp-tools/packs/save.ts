/** The tool `save`: a file, whatever it holds, goes into a day's folder of the journal, where the user finds it, or into the work folder. */
import { z } from "zod";
import { readAttachment } from "../../files/attachment-store.ts";
import { AttachmentError } from "../../files/errors/attachment-error.ts";
import { attachmentRules, attachmentsFolder, takeAttachment } from "../../journal/attachments/take-attachments.ts";
import { placeWorkFile } from "../../journal/agents/work-files.ts";
import { usableSettings } from "../../journal/config/settings.ts";
import { saveResult } from "../../journal/saves/saved-results.ts";
import { attachmentIdPattern } from "../../protocol/files/attachment.ts";
import { savePattern } from "../../protocol/names/names.ts";
import { day, filePath, placeFields, today } from "../tool/arguments.ts";
import { defineTool, writes } from "../tool/tool.ts";
import { ToolError } from "../tool/tool-error.ts";
import { workplaceOf } from "../tool/workplace.ts";

export const save = defineTool({
  name: "save",
  title: "Save a file",
  description:
    "Put a file into the journal, into the folder of a day: an image, a PDF or anything else, as it is. It comes from the " +
    "work folder (path) or from the conversation (id). With into: folder it goes into the work folder, for edits and " +
    "commands. A file that somebody else put there is never overwritten.",
  input: {
    path: filePath("A file of the work folder.").optional(),
    id: z
      .string()
      .regex(attachmentIdPattern, "expected 64 hex digits: the text after 'attachment:' in the file's line")
      .optional()
      .meta({ description: "The id of a file of this conversation: the text after 'attachment:' in its line." }),
    as: z.string().regex(savePattern, "expected a file name below the day's folder").optional().meta({
      description:
        "Its name below the day's folder or the work folder, such as trip/map.png. Default: its present name.",
    }),
    into: z
      .enum(["journal", "folder"])
      .optional()
      .meta({ description: "The journal, or the work folder. Default: journal." }),
    day: day("The day, YYYYMMDD. Default: today.").optional(),
  },
  output: { path: placeFields.path, mime: z.string(), bytes: z.number().int() },
  annotations: writes({ destructive: false, idempotent: true }),
  async run({ path, id, as, into, day: wanted }, context) {
    if ((path === undefined) === (id === undefined)) throw new ToolError("give either path or id, not both");
    const { journal } = context;
    const { settings } = usableSettings(journal);
    const rules = attachmentRules(settings);
    try {
      const from = path === undefined ? {} : { folder: (await workplaceOf(context)).folder, isFolderOnly: true };
      // Stored first: what is saved is what was judged, whatever happens to the file meanwhile.
      const part = await takeAttachment(path === undefined ? { id } : { path }, { journal, ...from }, rules);
      const content = await readAttachment(attachmentsFolder(journal), part.id, rules.maxBytes);
      if (!content) throw new AttachmentError("it is gone");
      const name = as ?? part.name;
      const saved =
        into === "folder"
          ? await placeWorkFile(await workplaceOf(context), name, content)
          : await saveResult(
              journal,
              wanted ?? today(context),
              name,
              content,
              settings.save_conflict,
              context.call?.agent_id,
            );
      const structured = { path: saved, mime: part.mime, bytes: content.length };
      return { text: `${saved}: saved (${part.mime}, ${content.length} bytes)`, structured };
    } catch (error) {
      if (error instanceof AttachmentError) throw new ToolError(`"${path ?? id}" can't be saved: ${error.message}`);
      throw error;
    }
  },
});
