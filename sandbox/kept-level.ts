/** What was found to be this machine's level, kept in a file: to try one again for each command that only shows it is dear. */
import { readFileSync, statSync } from "node:fs";
import { z } from "zod";
import { replaceFile } from "../files/replace-file.ts";
import { findProgram } from "../proc/os/find-program.ts";
import { parseOwnJson } from "../protocol/json/parse-json.ts";
import { findSandbox, type SandboxFinding } from "./sandbox-level.ts";

const Kept = z.object({ key: z.string(), level: z.literal("bubblewrap"), missing: z.array(z.string()) });

/** What `--json` shows. */
export type ShownSandbox = Pick<SandboxFinding, "level" | "missing">;

/** The level as it was found since the system started with these programs, else by trying. A missing one isn't kept. */
export async function keptSandbox(file: string): Promise<ShownSandbox> {
  const key = keyNow();
  const kept = readKept(file);
  if (kept?.key === key) return { level: kept.level, missing: kept.missing };
  const { level, missing } = await findSandbox();
  // Where it can't be written, the next one tries again.
  if (level === "bubblewrap") await replaceFile(file, JSON.stringify({ key, level, missing })).catch(() => {});
  return { level, missing };
}

function readKept(file: string): z.infer<typeof Kept> | null {
  try {
    return Kept.parse(parseOwnJson(readFileSync(file, "utf8")));
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
