/** The rules by which files are taken: the settings' `attachments`, and where they say nothing, those of docs/attachments.md. */

export type AttachmentRules = {
  maxBytes: number;
  /** Media types, such as `image/*`. */
  kinds: readonly string[];
};

/** The settings' `attachments`. */
export type AttachmentLimits = { max_mb?: number | undefined; kinds?: readonly string[] | undefined };

/** Content that comes within a message: what the bus takes, and leaves room for the message itself. */
export const maxDataBytes = 512 * 1024;

const usualMaxMb = 25;
const usualKinds: readonly string[] = [
  "text/*",
  "image/*",
  "audio/*",
  "video/*",
  "application/pdf",
  "application/json",
  "application/zip",
  "application/vnd.*",
];
const mebibyte = 1024 * 1024;

export function attachmentRulesOf({ max_mb = usualMaxMb, kinds = usualKinds }: AttachmentLimits = {}): AttachmentRules {
  return { maxBytes: max_mb * mebibyte, kinds };
}
