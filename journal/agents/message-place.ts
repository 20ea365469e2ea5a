/** The fate of a message to an agent, by the agent's files, read beside their one writer. */
import type { HistoryRecord } from "../../protocol/agents/agent-files.ts";
import type { MessagePlace } from "../../protocol/agents/message-place.ts";
import { isPutAway } from "../quarantine/put-away-messages.ts";
import { readTurn } from "./agent-files.ts";
import { inboxPlace } from "./agent-inbox.ts";
import { historyLines, historyRecord, listArchives } from "./read-history.ts";

/** @param item the message as the agent's events name it, `<type>:<id>` */
export function messagePlace(journal: string, agent: string, item: string): MessagePlace {
  const place = placeInFiles(journal, agent, item);
  return place.is !== "heard" && isPutAway(journal, item) ? { is: "unheard", why: "put_away" } : place;
}

function placeInFiles(journal: string, agent: string, item: string): MessagePlace {
  try {
    const turn = readTurn(journal, agent);
    if (turn?.items.includes(item)) return { is: "heard", run: turn.run_id, isOver: false };
    if (inboxPlace(journal, agent, item) !== "done") return { is: "coming" };
    // The history stands behind it: what a turn hears is recorded before it is done with.
    const run = runThatHeard(journal, agent, item);
    if (run === null) return { is: "unheard", why: "taken_back" };
    return { is: "heard", run, isOver: readTurn(journal, agent)?.run_id !== run };
  } catch {
    // They can't be read now: whoever asks asks again.
    return { is: "coming" };
  }
}

/** The run that heard an item, by the history. A summary may just have put the item away. */
function runThatHeard(journal: string, agent: string, item: string): string | null {
  const [newest] = listArchives(journal, agent);
  for (const archive of newest === undefined ? [null] : [null, newest])
    for (const { bytes } of historyLines(journal, agent, archive) ?? []) {
      const record = historyRecord(bytes);
      const run = record && isOf(record, item) ? record["run_id"] : undefined;
      if (typeof run === "string") return run;
    }
  return null;
}

const isOf = ({ id, items, moved }: HistoryRecord, item: string): boolean =>
  id === item || moved === item || (Array.isArray(items) && items.includes(item));
