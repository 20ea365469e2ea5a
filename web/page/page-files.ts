/** Files of the built page, `dist/page/`: compressed beforehand, read as they are asked for. */
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { packageFile } from "../../proc/programs/package-file.ts";
import { hasCode } from "../../files/errors/errno.ts";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
  ".webmanifest": "application/manifest+json",
};

/** Names as the build makes them; nothing that leads elsewhere. */
const assetName = /^\/(assets\/[\w-][\w.-]*)$/;

/** The files that keep their names: by their address. */
const fixed: Readonly<Record<string, string>> = {
  "/manifest.webmanifest": "manifest.webmanifest",
  "/icon.svg": "icon.svg",
  "/sw.js": "sw.js",
};

export type PageFile = { name: string; isImmutable: boolean };

/** The file at an address; null: none, so that it is a view's. */
export function fileAt(path: string): PageFile | null {
  const [, asset] = assetName.exec(path) ?? [];
  if (asset !== undefined) return { name: asset, isImmutable: true };
  const name = Object.hasOwn(fixed, path) ? fixed[path] : undefined;
  return name === undefined ? null : { name, isImmutable: false };
}

/** The document of every view. */
export const indexFile: PageFile = { name: "index.html", isImmutable: false };

export type Encoded = { body: Buffer; headers: Record<string, string> };

/**
 * A file in the smallest form that the asker takes, or null where there is none.
 * @param accepted the header `Accept-Encoding`
 */
export async function readPageFile(
  { name, isImmutable }: PageFile,
  accepted: string | undefined,
  folder = packageFile("dist/page"),
): Promise<Encoded | null> {
  const headers = {
    "Content-Type": types[extname(name)] ?? "application/octet-stream",
    "Cache-Control": isImmutable ? "private, max-age=31536000, immutable" : "private, no-cache",
    Vary: "Accept-Encoding",
  };
  for (const [encoding, ending] of forms(accepted)) {
    const body = await readIfThere(join(folder, `${name}${ending}`));
    if (body === null) continue;
    return { body, headers: { ...headers, ...(encoding === "" ? {} : { "Content-Encoding": encoding }) } };
  }
  return null;
}

const encodings = [
  ["br", ".br"],
  ["gzip", ".gz"],
] as const;

/** Finds the accepted forms, the smallest first. A quality of 0 is a refusal. */
function forms(accepted = ""): (readonly [encoding: string, ending: string])[] {
  const offers = accepted.split(",").map((offer) => offer.toLowerCase().replaceAll(" ", "").split(";q="));
  const takes = (wanted: string) => offers.some(([name, quality]) => name === wanted && Number(quality ?? 1) > 0);
  return [...encodings.filter(([encoding]) => takes(encoding)), ["", ""]];
}

async function readIfThere(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  }
}
