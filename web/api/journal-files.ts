/** Files of messages: stored in the journal, as for requests and the messages of channels. */
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { storedAttachment } from "../../files/attachment-store.ts";
import { AttachmentError, AttachmentTooLargeError } from "../../files/errors/attachment-error.ts";
import { keepAttachments } from "../../journal/attachments/keep-attachments.ts";
import { storeUpload } from "../../journal/attachments/store-upload.ts";
import { attachmentRules, attachmentsFolder, takeAttachments } from "../../journal/attachments/take-attachments.ts";
import { usableSettings } from "../../journal/config/settings.ts";
import { type AttachmentRef, contentPath } from "../../protocol/files/attachment.ts";
import { WorkspaceError } from "../../workspace/records/workspace-error.ts";
import type { Files } from "./table/operation.ts";

export function filesOf(journal: string): Files {
  return {
    takeFiles: async (refs, { isOwner }, names) => {
      if (refs.length === 0) return [];
      if (!isOwner) requireOwn(refs, names);
      // By the name that it has in the workspace: what it is called elsewhere is nobody's business here.
      const named = refs.map((ref) => ({ ...ref, name: ref.name ?? names.get(ref.id ?? "") }));
      const rules = attachmentRules(usableSettings(journal).settings);
      const parts = await refusing(takeAttachments(named, { journal }, rules));
      await keepAttachments(
        journal,
        parts.map(({ id }) => id),
      );
      return parts;
    },
    store: async (name, body) => {
      try {
        return await refusing(storeUpload(journal, name, body));
      } catch (error) {
        if (body.readableAborted) throw new WorkspaceError("invalid", "the body broke off");
        throw error;
      }
    },
    open: async (id) => {
      const folder = attachmentsFolder(journal);
      const part = await storedAttachment(folder, id);
      return part && { part, content: createReadStream(join(folder, contentPath(id))) };
    },
  };
}

/** The journal is the owner's: a member names no path of it, and no file that didn't come into the workspace. */
function requireOwn(refs: readonly AttachmentRef[], names: ReadonlyMap<string, string>): void {
  for (const [index, { path, id }] of refs.entries()) {
    if (path !== undefined)
      throw new WorkspaceError("invalid", "attachments: only the owner may name files by path", "send data, or an id");
    if (id !== undefined && !names.has(id))
      throw new WorkspaceError("invalid", `attachments[${index}]: this workspace has no such file`, "store it first");
  }
}

async function refusing<T>(taking: Promise<T>): Promise<T> {
  try {
    return await taking;
  } catch (error) {
    if (error instanceof AttachmentTooLargeError) throw new WorkspaceError("too_large", error.message);
    if (error instanceof AttachmentError) throw new WorkspaceError("invalid", error.message);
    throw error;
  }
}
