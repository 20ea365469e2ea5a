/** Adds to the references of images how large these are, by their headers, for whoever estimates what a model is shown. */
import { join } from "node:path";
import { contentPath, type FilePart } from "../protocol/files/attachment.ts";
import { imageSize } from "../protocol/files/image-size.ts";
import { openContent } from "./attachment-use.ts";

/** A camera puts a preview and profiles before the size. */
const headerBytes = 256 * 1024;

/** An image whose header can't be read, or that isn't stored any more, stays as it is. */
export async function withImageSizes(folder: string, parts: readonly FilePart[]): Promise<FilePart[]> {
  return Promise.all(
    parts.map(async (part) => {
      if (!part.mime.startsWith("image/")) return part;
      const header = await headerOf(join(folder, contentPath(part.id))).catch(() => null);
      return { ...part, ...(header && imageSize(header, part.mime)) };
    }),
  );
}

async function headerOf(path: string): Promise<Buffer> {
  await using file = await openContent(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(headerBytes), 0, headerBytes, 0);
  return buffer.subarray(0, bytesRead);
}
