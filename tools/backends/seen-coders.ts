/** Record of what `npm run backends` saw of each coding agent: the titles of its tests, and whether each passed. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export type SeenCoders = Record<string, Record<string, boolean>>;

export const seenCodersFile = fileURLToPath(new URL("seen-coders.json", import.meta.url));

export const readSeenCoders = (): SeenCoders => JSON.parse(readFileSync(seenCodersFile, "utf8")) as SeenCoders;
