/**
 * Takes files in that are handed to a run or an agent: whatever they come as, what comes out are references to stored ones.
 * A path is followed to where it really leads, which is inside of the journal or of the run's folder.
 */
import { constants, existsSync } from "node:fs";
import { open } from "node:fs/promises";
import { basename, isAbsolute, join } from "node:path";
import { type AttachmentRules, maxDataBytes, attachmentRulesOf } from "../../files/attachment-rules.ts";
import { shownName, storeAttachment, storedAttachment, tooLarge } from "../../files/attachment-store.ts";
import { AttachmentError } from "../../files/errors/attachment-error.ts";
import { hasCode } from "../../files/errors/errno.ts";
import type { AttachmentRef, FilePart } from "../../protocol/files/attachment.ts";
import { isBase64 } from "../../protocol/files/base64.ts";
import { isOfKinds } from "../../protocol/files/media-type.ts";
import type { Settings } from "../../protocol/settings/settings.ts";
import { inside, OutsideError } from "../config/paths.ts";
import { holdsSecrets } from "../notes/guarded-paths.ts";

export const attachmentsFolder = (journal: string) => join(journal, "attachments");

export const attachmentRules = ({ attachments }: Settings): AttachmentRules => attachmentRulesOf(attachments);

/** Where files may be named by path. */
export type AttachmentPlaces = {
  journal: string;
  /** The run's folder, which comes first. */
  folder?: string | undefined;
  /** Nothing of the journal may be named. */
  isFolderOnly?: boolean;
};

/** @throws AttachmentError that names the file and what is wrong with it */
export async function takeAttachments(
  refs: readonly AttachmentRef[],
  places: AttachmentPlaces,
  rules: AttachmentRules,
): Promise<FilePart[]> {
  const parts: FilePart[] = [];
  for (const [index, ref] of refs.entries()) {
    try {
      parts.push(await takeAttachment(ref, places, rules));
    } catch (error) {
      if (!(error instanceof AttachmentError)) throw error;
      const name = ref.name ?? ref.path ?? ref.id?.slice(0, 12) ?? "";
      throw new AttachmentError(`attachments[${index}] "${name.slice(0, 200)}" can't be taken: ${error.message}`);
    }
  }
  return parts;
}

/** @throws AttachmentError */
export async function takeAttachment(
  ref: AttachmentRef,
  places: AttachmentPlaces,
  rules: AttachmentRules,
): Promise<FilePart> {
  const store = attachmentsFolder(places.journal);
  if (ref.id !== undefined) return taken(await storedAttachment(store, ref.id), ref, rules);
  if (ref.data !== undefined) return storeAttachment(store, ref.name ?? "file", [decoded(ref.data)], rules);
  const real = realPath(ref.path ?? "", places);
  return storeAttachment(store, ref.name ?? basename(real), contentOf(real, rules.maxBytes), rules);
}

function taken(part: FilePart | null, { name }: AttachmentRef, { maxBytes, kinds }: AttachmentRules): FilePart {
  if (!part) throw new AttachmentError("nothing is stored under that id in this journal");
  if (part.size > maxBytes) throw new AttachmentError(tooLarge(maxBytes));
  if (!isOfKinds(part.mime, kinds)) throw new AttachmentError(`its kind isn't taken (${part.mime})`);
  return name === undefined ? part : { ...part, name: shownName(name) };
}

/** @throws AttachmentError for text that isn't base64, and for more than a message may hold */
function decoded(data: string): Buffer {
  if (Buffer.byteLength(data, "base64") > maxDataBytes)
    throw new AttachmentError(
      `its data is more than ${maxDataBytes / 1024} KiB of content: store it first (cortex-request --attach, or POST /v1/attachments) and give its id`,
    );
  if (!isBase64(data)) throw new AttachmentError("its data isn't base64");
  return Buffer.from(data, "base64");
}

function realPath(path: string, { journal, folder, isFolderOnly = false }: AttachmentPlaces): string {
  const roots = [...(folder === undefined ? [] : [folder]), ...(isFolderOnly ? [] : [journal])];
  for (const root of roots) {
    const real = insideOrNull(root, path);
    if (real === null) continue;
    if (holdsSecrets(real)) throw new AttachmentError("keys and tokens are kept there");
    if (root !== roots.at(-1) && !isAbsolute(path) && !existsSync(real)) continue;
    return real;
  }
  const where =
    folder === undefined ? "the journal" : isFolderOnly ? "the work folder" : "the work folder or the journal";
  throw new AttachmentError(`it isn't in ${where}: store it first with cortex-request --attach, and give its id`);
}

function insideOrNull(root: string, path: string): string | null {
  try {
    return inside(root, path);
  } catch (error) {
    if (
      error instanceof OutsideError ||
      hasCode(error, "ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG", "EACCES", "ERR_INVALID_ARG_VALUE")
    )
      return null;
    throw error;
  }
}

/**
 * The content of a regular file, as it was all the while.
 * @throws AttachmentError for what isn't one, can't be read, or changes meanwhile
 */
export async function* contentOf(path: string, maxBytes: number): AsyncGenerator<Uint8Array> {
  // A pipe must not hold up who opens it, and a link at the last step leads elsewhere than was checked.
  await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW).catch(refuse);
  const before = await file.stat();
  if (!before.isFile()) throw new AttachmentError("it isn't a file");
  if (before.size > maxBytes) throw new AttachmentError(tooLarge(maxBytes));
  for await (const part of file.createReadStream({ autoClose: false })) yield part as Buffer;
  const after = await file.stat();
  if (after.size !== before.size || after.mtimeMs !== before.mtimeMs)
    throw new AttachmentError("it changed while it was read: attach it again");
}

function refuse(error: unknown): never {
  if (hasCode(error, "ENOENT", "ENOTDIR")) throw new AttachmentError("it isn't there");
  if (hasCode(error, "EACCES", "EPERM")) throw new AttachmentError("it can't be read: its permissions don't allow it");
  if (hasCode(error, "ELOOP", "ENXIO", "ENAMETOOLONG")) throw new AttachmentError("it isn't a file");
  throw error;
}
