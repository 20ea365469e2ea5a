/** Names of files within what file systems take: 255 bytes, however many characters that are. */
import { randomBytes } from "node:crypto";
import { basename, dirname, join } from "node:path";

/** Bytes of a name that leave room for what we put before and behind it. */
export const maxNameBytes = 200;

/** A name of at most so many bytes: cut between characters as people see them, its ending kept. */
export function boundedName(name: string, maxBytes = maxNameBytes): string {
  if (Buffer.byteLength(name) <= maxBytes) return name;
  const ending = /\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? "";
  const room = maxBytes - Buffer.byteLength(ending);
  let cut = "";
  let bytes = 0;
  // What is far beyond the bound needn't be looked at.
  for (const { segment } of new Intl.Segmenter().segment(
    name.slice(0, Math.min(maxBytes, name.length - ending.length)),
  )) {
    bytes += Buffer.byteLength(segment);
    if (bytes > room) break;
    cut += segment;
  }
  return cut + ending;
}

/** A name beside a file for what is about to take its place. */
export function temporaryBeside(path: string): string {
  return join(dirname(path), `${boundedName(basename(path))}.${randomBytes(6).toString("hex")}.tmp`);
}
