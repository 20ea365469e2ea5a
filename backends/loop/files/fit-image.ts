/** Makes an image one that every provider takes: what is too large is scaled, where `sharp` is installed, or refused in words. */
import { AttachmentError } from "../../../files/errors/attachment-error.ts";
import { imageSize, isTakenAsIs, scaledSide } from "../../../protocol/files/image-size.ts";

/** Decoded they take four bytes a pixel. What has more is a trap rather than a photo. */
const maxPixels = 100_000_000;

export type FittedImage = { content: Buffer; mime: string };

/** @throws AttachmentError for one that can't be shown */
export async function fitImage(content: Buffer, mime: string): Promise<FittedImage> {
  const size = imageSize(content, mime);
  if (size && size.width * size.height > maxPixels)
    throw new AttachmentError(`${size.width} × ${size.height} pixels are more than are decoded`);
  if (isTakenAsIs(size, content.length)) return { content, mime };
  const sharp = await loadSharp();
  const what = size ? `${size.width} × ${size.height} pixels, ${content.length} bytes` : `${content.length} bytes`;
  if (!sharp)
    throw new AttachmentError(`too large for a model (${what}), and sharp, which would scale it, isn't installed`);
  try {
    const scaled = sharp(content, { limitInputPixels: maxPixels })
      .rotate()
      .resize({ width: scaledSide, height: scaledSide, fit: "inside", withoutEnlargement: true })
      .jpeg({ quality: 85 });
    return { content: await scaled.toBuffer(), mime: "image/jpeg" };
  } catch (error) {
    throw new AttachmentError(`too large for a model (${what}), and it can't be decoded`, { cause: error });
  }
}

/** An optional dependency that few runs need: loaded with the first image that is too large. */
async function loadSharp() {
  try {
    const { default: sharp } = await import("sharp");
    return sharp;
  } catch {
    return null;
  }
}
