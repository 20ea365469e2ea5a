/** How many pixels an image has, by its header: nothing is decoded, so one that says it is a continent costs nothing. Pure. */

export type ImageSize = { width: number; height: number };

/** Anthropic takes 5 MB of base64, and 8000 pixels a side; the others take more. */
const maxBytes = 3_750_000;
const maxSide = 8000;
/** The longest side of an image that was scaled: more is scaled down by the providers themselves. */
export const scaledSide = 2000;

/** Whether every provider takes an image as it is. */
export function isTakenAsIs(size: ImageSize | null, bytes: number): boolean {
  return bytes <= maxBytes && Math.max(size?.width ?? 0, size?.height ?? 0) <= maxSide;
}

/** The size in which an image is shown. */
export function shownSize(size: ImageSize, bytes: number): ImageSize {
  if (isTakenAsIs(size, bytes)) return size;
  const scale = Math.min(1, scaledSide / Math.max(size.width, size.height));
  return { width: Math.ceil(size.width * scale), height: Math.ceil(size.height * scale) };
}

/** @param bytes the image, or its begin. Null: its header doesn't say */
export function imageSize(bytes: Uint8Array, mime: string): ImageSize | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const size = readers[mime]?.(view) ?? null;
    return size !== null && size.width > 0 && size.height > 0 ? size : null;
  } catch (error) {
    if (error instanceof RangeError) return null; // it ends within its header
    throw error;
  }
}

const readers: Record<string, (view: DataView) => ImageSize | null> = {
  "image/png": (view) => ({ width: view.getUint32(16), height: view.getUint32(20) }),
  "image/gif": (view) => ({ width: view.getUint16(6, true), height: view.getUint16(8, true) }),
  "image/jpeg": jpegSize,
  "image/webp": webpSize,
};

/** The first frame header: any marker from C0 to CF but the three that are something else. */
function jpegSize(view: DataView): ImageSize | null {
  for (let at = 2; ; ) {
    if (view.getUint8(at) !== 0xff) return null;
    const marker = view.getUint8(at + 1);
    if (marker === 0xff)
      at += 1; // padding
    else if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker))
      return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    else at += 2 + Math.max(2, view.getUint16(at + 2));
  }
}

function webpSize(view: DataView): ImageSize | null {
  const chunk = String.fromCharCode(...[12, 13, 14, 15].map((at) => view.getUint8(at)));
  const uint24 = (at: number) => view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
  if (chunk === "VP8X") return { width: 1 + uint24(24), height: 1 + uint24(27) };
  if (chunk === "VP8 ") return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
  if (chunk !== "VP8L") return null;
  const bits = view.getUint32(21, true);
  return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
}
