/** Files of a conversation: how one is named when it is handed in, and the reference that stands for it everywhere else. */
import { z } from "zod";

/** The SHA-256 of a file's content, under which it is stored. */
export const attachmentIdPattern = /^[0-9a-f]{64}$/;
const AttachmentId = z.string().regex(attachmentIdPattern, "expected the id of a stored file: 64 hex digits");

/** Names are cut to this many bytes when a file is stored. */
const longestName = 4096;

const fields = {
  id: AttachmentId.optional().meta({ description: "The SHA-256 of a stored file's content." }),
  path: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .meta({ description: "A file of the journal or of the run's folder: relative to it, or absolute." }),
  name: z.string().max(longestName).optional().meta({ description: "The name of the file." }),
  mime: z.string().max(256).optional().meta({ description: "Its media type, as its sender has it." }),
  data: z.string().optional().meta({ description: "Its content in base64: at most 512 KiB of content." }),
};

/** A file that is handed in: stored already, at a path, or with its content. */
export const AttachmentRef = z
  .looseObject(fields)
  .refine(({ id, path, data }) => [id, path, data].filter((one) => one !== undefined).length === 1, {
    message: "expected one of id, path and data",
  });
export type AttachmentRef = z.infer<typeof AttachmentRef>;

/** Most files of one request, input or message. */
export const maxAttachments = 64;

export const AttachmentRefs = z
  .array(AttachmentRef)
  .max(maxAttachments)
  .meta({
    description: "Files that go with it: each with `id`, `path`, or `name`, `mime` and `data` (base64).",
    examples: [[{ path: "20250109/plan.png" }]],
  });

/** A file in a conversation. Never its bytes. */
export const FilePart = z.looseObject({
  type: z.literal("file").meta({ description: "A part that is a file." }),
  id: AttachmentId.meta({ description: "The SHA-256 of its content, under which `attachments/` has it." }),
  name: z.string().meta({ description: "The name of the file." }),
  mime: z.string().meta({ description: "Its media type, told by its content." }),
  size: z.number().int().nonnegative().meta({ description: "In bytes." }),
});
export type FilePart = z.infer<typeof FilePart>;

export const FileParts = z.array(FilePart).meta({ description: "Files, by reference." });

/** Keeps the elements of an untrusted list that are files, in order. */
export function filePartsIn(value: unknown): FilePart[] {
  return Array.isArray(value) ? value.flatMap((one) => FilePart.safeParse(one).data ?? []) : [];
}

/** The record of a stored file, which stands beside it. */
export const AttachmentRecord = z.looseObject({
  name: z.string(),
  mime: z.string(),
  size: z.number().int().nonnegative(),
  created: z.number().int().meta({ description: "In ms." }),
});
export type AttachmentRecord = z.infer<typeof AttachmentRecord>;

/** Where a content stands, below the folder `attachments`. */
export const contentPath = (id: string) => `${id.slice(0, 2)}/${id}`;
