/** The store for files that a call is given with their content. */
import { type AttachmentLimits, maxDataBytes, attachmentRulesOf } from "../../../files/attachment-rules.ts";
import { storeAttachment } from "../../../files/attachment-store.ts";
import { type AttachmentRef, AttachmentRefs } from "../../../protocol/files/attachment.ts";
import { isBase64 } from "../../../protocol/files/base64.ts";

/**
 * Stores the contents in a call's arguments and names each by its id, so that the run's file and the conversation hold no
 * bytes, and the call finds them where it is made again. What can't be stored stays: the tool says what is wrong with it.
 */
export async function storeContents(
  args: Record<string, unknown>,
  folder: string,
  limits: AttachmentLimits | undefined,
): Promise<Record<string, unknown>> {
  const refs = AttachmentRefs.safeParse(args["attachments"]);
  if (!refs.success) return args;
  const attachments: AttachmentRef[] = [];
  for (const ref of refs.data) attachments.push(await storeContent(ref, folder, limits));
  return { ...args, attachments };
}

async function storeContent(
  ref: AttachmentRef,
  folder: string,
  limits: AttachmentLimits | undefined,
): Promise<AttachmentRef> {
  const { data, mime: _asGuessed, ...rest } = ref;
  if (data === undefined || !isBase64(data) || Buffer.byteLength(data, "base64") > maxDataBytes) return ref;
  const stored = storeAttachment(folder, ref.name ?? "file", [Buffer.from(data, "base64")], attachmentRulesOf(limits));
  return stored.then(
    ({ id }) => ({ ...rest, id }),
    () => ref,
  );
}
