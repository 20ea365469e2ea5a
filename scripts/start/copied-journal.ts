/** A journal that was copied or moved from elsewhere: whether `--moved` may say so, and what the user is told. */
import { type CopiedJournal, type makeOwn } from "../../journal/backup/start-clean.ts";
import { isOriginalThere } from "../../journal/config/folder-mark.ts";
import { runtime, state } from "../../journal/config/paths.ts";
import { exitCodes } from "../../protocol/runs/exit-codes.ts";
import { CommandError } from "../command/command.ts";
import { shellQuoted } from "../command/layout/shell-quoted.ts";

/** @throws CommandError when the folder was copied, and the original is where it was */
export function checkMoved(journal: string): void {
  if (![state(journal), runtime(journal)].some((folder) => isOriginalThere(journal, folder))) return;
  const message = `--moved: ${journal} is a copy, and the journal that it was made of is still there`;
  const hint = "what that had accepted would be done twice: start it clean with cortex up, or remove the original";
  throw new CommandError("refused", message, hint, exitCodes.refused);
}

/** Describes to the user a copy that was made a journal of its own, a line each. */
export function describeCopy(
  journal: string,
  { from, aside }: CopiedJournal,
  { runs, messages }: Awaited<ReturnType<typeof makeOwn>>,
  isMoved: boolean,
): string[] {
  if (isMoved) return [`this journal was moved here from ${from}: it goes on with what had been accepted there`];
  const told = [
    `this journal is a copy of ${from}: it starts clean. What was accepted there is done there alone: ${runs} runs in progress are ended here, ${messages} waiting messages dropped`,
  ];
  if (aside !== null)
    told.push(
      `its .state (waiting requests, inboxes, how far schedules had come) is put aside: ${aside}`,
      `  was the folder moved, and the original is no more? Stop this, then: rm -r ${shellQuoted(state(journal))} && mv ${shellQuoted(aside)} ${shellQuoted(state(journal))} && cortex up --moved`,
    );
  return told;
}
