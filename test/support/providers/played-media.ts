/** The faults that the real providers find in a file that goes along: they look into it. */

// oxlint-disable no-control-regex -- they are bytes
const beginnings: Record<string, RegExp> = {
  "image/png": /^\x89PNG\r\n/,
  "image/jpeg": /^\xff\xd8\xff/,
  "image/gif": /^GIF8/,
  "image/webp": /^RIFF....WEBP/s,
  "application/pdf": /^%PDF-/,
  "audio/wav": /^RIFF....WAVE/s,
  "audio/mpeg": /^(ID3|\xff\xfb)/,
};

/** @param data base64 @param types those that the provider takes */
export function mediaProblem(
  mime: unknown,
  data: unknown,
  types: readonly string[],
  maxBytes = 5_000_000,
): string | null {
  if (typeof mime !== "string" || !types.includes(mime)) return `the media type '${String(mime)}' is not supported`;
  if (typeof data !== "string" || data === "" || !/^[A-Za-z0-9+/]+={0,2}$/.test(data) || data.length % 4 !== 0)
    return "invalid base64 data";
  if (data.length > maxBytes) return `image exceeds the maximum of ${maxBytes} bytes: ${data.length} bytes`;
  const begin = Buffer.from(data.slice(0, 64), "base64").toString("latin1");
  return beginnings[mime]?.test(begin) ? null : `Could not process image: it isn't ${mime}`;
}

/** The same, of a data URL. */
export function dataUrlProblem(url: unknown, types: readonly string[]): string | null {
  const [, mime, data] = /^data:([\w/.+-]+);base64,(.*)$/s.exec(String(url)) ?? [];
  return mime === undefined ? "expected a data URL with base64" : mediaProblem(mime, data, types, 20_000_000);
}

export const usualImages = ["image/png", "image/jpeg", "image/gif", "image/webp"];
