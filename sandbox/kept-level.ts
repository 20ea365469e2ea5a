/**
 * The level that was found for this machine, kept in a file: trying one again for each command that only shows it is
 * expensive.
 */
import { readFileSync, statSync } from "node:fs";
import { replaceFile } from "../files/writing/replace-file.ts";
import { findProgram } from "../proc/os/find-program.ts";
import { isRecord } from "../protocol/json/json-object.ts";
import { parseOwnJson } from "../protocol/json/parse-json.ts";
import type { SandboxLevel, ShownSandbox } from "./sandbox-level.ts";

/** The level as it was found since the system started with these programs, else by trying. A missing one isn't kept. */
export async function keptSandbox(file: string): Promise<ShownSandbox> {
  const key = keyNow();
  const kept = keptIn(file);
  if (kept?.key === key) return { level: kept.level, missing: [] };
  // Most of the time of a command that only shows the level would go into loading what tries it.
  const { findSandbox, shownSandbox } = await import("./sandbox-level.ts");
  const found = shownSandbox(await findSandbox());
  const { level } = found;
  // Where it can't be written, the next one tries again.
  if (level !== "none") await replaceFile(file, JSON.stringify({ key, level })).catch(() => {});
  return found;
}

/** Reads the level that is kept, and under which key. Null: none is. */
function keptIn(file: string): { key: unknown; level: Exclude<SandboxLevel, "none"> } | null {
  try {
    const kept = parseOwnJson(readFileSync(file, "utf8"));
    if (!isRecord(kept)) return null;
    const { key, level } = kept;
    return level === "bubblewrap" || level === "seatbelt" ? { key, level } : null;
  } catch {
    return null;
  }
}

function keyNow(): string {
  const programs = ["bwrap", "unshare"].map((name) => {
    const path = findProgram(name);
    return path && [path, statSync(path, { throwIfNoEntry: false })?.mtimeMs];
  });
  return JSON.stringify([process.platform, process.getuid?.(), bootId(), programs]);
}

function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return "";
  }
}
