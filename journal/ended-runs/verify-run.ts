/** Reads a run's file, compressed or not, and says whether its chain holds. */
import { hasCode } from "../../files/errors/errno.ts";
import { fileLines, FileLinesError, type Torn } from "../../files/lines/file-lines.ts";
import { ChainCheck, type ChainReport, type KeptEnd } from "../chain/hash-chain.ts";

/** @param kept how its file ended, as the heads of ended runs say. Null when the file has gone: a run that was closed or compressed meanwhile has another name. */
export async function verifyRun(
  path: string,
  agentId: string,
  kept: readonly KeptEnd[] = [],
): Promise<ChainReport | null> {
  const check = new ChainCheck(agentId, path.endsWith("_active.jsonl"), kept);
  const torn: Torn = { bytes: 0 };
  try {
    for await (const line of fileLines(path, { torn })) check.push(line.bytes);
  } catch (error) {
    if (error instanceof FileLinesError) return check.unreadable(error.message);
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  }
  return check.report(torn.bytes > 0);
}
