/** `cortex audit seal`, and what becomes of the line that it printed when it is given to `verify`. */
import { readSeal, sealText, SealError, signingKey } from "../../journal/chain/audit-seal.ts";
import { readHeads } from "../../journal/chain/read-heads.ts";
import { headsFile } from "../../journal/chain/run-heads.ts";
import { exitCodes } from "../../protocol/runs/exit-codes.ts";
import { CommandError, usageError } from "../command/command.ts";

export type SealReport = { sealed: string; line: number; signed_by: string | null; problems: string[] };

/** The line to keep elsewhere. @param keyFile of the key that signs it */
export async function newSeal(journal: string, keyFile: string | undefined): Promise<string> {
  const { last, problems } = await readHeads(journal);
  if (last === null)
    throw new CommandError(
      "nothing_to_seal",
      `${headsFile(journal)} holds no heads yet: no run has ended since heads are kept`,
      "cortex-request, then again",
      exitCodes.failed,
    );
  if (problems.length > 0)
    throw new CommandError(
      "broken",
      `${headsFile(journal)} was changed: a seal would confirm the change`,
      "cortex audit verify --all",
      exitCodes.failed,
    );
  return asUsage(() => sealText(last, Date.now(), keyFile === undefined ? null : signingKey(keyFile)), "--key FILE");
}

/** @param trusted the public half of the key that must have signed it */
export async function checkSeal(journal: string, line: string, trusted: string | undefined): Promise<SealReport> {
  const seal = asUsage(() => readSeal(line), "--seal 'cortex-seal-1 …', the whole line");
  const { hashAt, last } = await readHeads(journal, seal.n);
  const problems: string[] = [];
  if (hashAt === null)
    problems.push(`${headsFile(journal)} has ${last?.n ?? 0} lines, but had ${seal.n} when it was sealed: it was cut`);
  else if (hashAt !== seal.hash)
    problems.push(`${headsFile(journal)}:${seal.n}: differs from the line that was sealed`);
  const key = trusted?.replace(/^ed25519:/, "");
  if (key !== undefined && seal.signedBy !== key)
    problems.push(
      `the seal is ${seal.signedBy === null ? "not signed" : `signed by ed25519:${seal.signedBy}`}, not by ed25519:${key}`,
    );
  return { sealed: new Date(seal.ts).toISOString(), line: seal.n, signed_by: seal.signedBy, problems };
}

function asUsage<T>(work: () => T, hint: string): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof SealError) throw usageError(error.message, hint);
    throw error;
  }
}
