/** Takes the lock of a journal for `cortex up`: one supervisor alone may start programs on it. */
import { setTimeout as delay } from "node:timers/promises";
import { JournalLock } from "../../journal/access/lock.ts";
import { type CopiedJournal, setStateAside } from "../../journal/backup/start-clean.ts";
import { readSupervised } from "../../journal/programs/supervised.ts";
import { isAlive } from "../../proc/processes/identity.ts";
import { exitCodes } from "../../protocol/runs/exit-codes.ts";
import { CommandError } from "../command/command.ts";

/** Milliseconds that another supervisor may take to make way. */
const handOverMs = 20_000;

/**
 * @param isReplacing has the supervisor that holds the lock make way
 * @throws CommandError when another keeps it
 */
export async function lockJournal(
  journal: string,
  isReplacing: boolean,
  isMoved: boolean,
): Promise<{ lock: JournalLock; copy: CopiedJournal | null }> {
  let copy: CopiedJournal | null = null;
  const take = () => JournalLock.acquire(journal, () => (copy = setStateAside(journal, isMoved)));
  let lock = take();
  if (lock) return { lock, copy };
  const holder = readSupervised(journal)?.supervisor;
  // The record may be of one that was killed, and its pid another's by now.
  const pid = holder && isAlive(holder) ? holder.pid : null;
  if (!isReplacing || pid === null) {
    const message = `another cortex up runs on ${journal}${pid === null ? ", or on its store by another path" : `, pid ${pid}`}`;
    const hint = "see what it does: cortex status; take over from it: cortex up --replace";
    throw new CommandError("refused", message, hint, exitCodes.refused);
  }
  process.kill(pid, "SIGUSR2");
  for (const deadline = performance.now() + handOverMs; !lock; lock = take()) {
    if (performance.now() > deadline)
      throw new CommandError(
        "refused",
        `pid ${pid} didn't make way within ${handOverMs / 1000} s`,
        `stop it: kill ${pid}`,
        exitCodes.refused,
      );
    await delay(50);
  }
  return { lock, copy };
}
