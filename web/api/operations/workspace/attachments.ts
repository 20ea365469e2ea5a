/** Operations on the files of a workspace's messages. */
import type { Readable } from "node:stream";
import { z } from "zod";
import { attachmentIdPattern, AttachmentRef, FilePart } from "../../../../protocol/files/attachment.ts";
import { WorkspaceError } from "../../../../workspace/records/workspace-error.ts";
import { addAttachments, attachmentNames } from "../../../../workspace/threads/attachments.ts";
import { operation } from "../../table/operation.ts";

const NewAttachment = z.object({ name: AttachmentRef.shape.name });

export const attachments = [
  operation({
    id: "attachment.create",
    method: "POST",
    path: "/workspaces/{w}/attachments",
    summary: "Store a file for a message",
    description:
      "The body is its content, of any type; `attachments` of a message names it by its id. What is taken, and how large, is the setting `attachments`. A file that no message names is dropped after a while.",
    subject: "workspaces",
    role: "member",
    query: NewAttachment,
    takesContent: true,
    status: 201,
    answer: FilePart,
    prepare: ({ files }, { query, body }): Promise<FilePart> => files.store(query.name ?? "file", body as Readable),
    handle: async ({ store, actor, prepared }) => {
      await addAttachments(store.database, actor.workspaceId, [prepared], Date.now());
      return prepared;
    },
  }),
  operation({
    id: "attachment.get",
    method: "GET",
    path: "/workspaces/{w}/attachments/{file}",
    summary: "The content of a file of the workspace: of one of its messages, or stored for one",
    subject: "workspaces",
    role: "member",
    givesContent: true,
    handle: async ({ store, actor, files, setHeader }, { file }) => {
      const ids = attachmentIdPattern.test(file) ? [file] : [];
      const name = (await attachmentNames(store.database, actor.workspaceId, ids)).get(file);
      const opened = name === undefined ? null : await files.open(file);
      if (name === undefined || !opened) throw new WorkspaceError("not_found", "this workspace has no such file");
      // Nothing of it may run in a browser.
      setHeader("Content-Disposition", `attachment; filename*=UTF-8''${encodeURIComponent(name)}`);
      setHeader("X-Content-Type-Options", "nosniff");
      setHeader("Content-Length", String(opened.part.size));
      setHeader("Content-Type", opened.part.mime);
      return opened.content;
    },
  }),
];
