/**
 * Failpoints: the moments right after something was made durable, so that a test can stop the world at each of them. With
 * `CORTEX_STOP_AT=<failpoint>` in its environment, `<failpoint>:3` for the third time, the process writes its pid and the
 * failpoint to the file `CORTEX_STOP_FILE` and stops with SIGSTOP: whoever set that kills it, or lets it continue. Without
 * `CORTEX_STOP_AT` the failpoint is read from the file `<CORTEX_STOP_FILE>.at`, as long as there is one, so that a test
 * needn't restart the process for each.
 */
import { readFileSync, writeFileSync } from "node:fs";

/** The failpoints of a run, in the order of its life. */
export const runFailpoints = [
  "id-assigned",
  "recorded",
  "offered",
  "acknowledged",
  "taken",
  "folder-made",
  "file-claimed",
  "request-written",
  "token-issued",
  "record-kept",
  "line-put",
  "configuration-put",
  "begun",
  "spawned",
  "warm-process-taken",
  "warm-process-told",
  "place-noted",
  "events-written",
  "events-published",
  "input-put",
  "stop-recorded",
  "next-attempt-kept",
  "process-gone",
  "child-reserved",
  "child-kept",
  "terminal-event-written",
  "token-revoked",
  "saved",
  "save-written",
  "handoff-written",
  "file-linked",
  "file-committed",
  "child-claimed",
  "child-published",
  "ledger-ended",
  "claim-ended",
  "request-erased",
  "folder-dropped",
] as const;

/** The failpoints of long-lived agents, in the order of a turn. */
export const agentFailpoints = [
  "agent-made",
  "item-taken-in",
  "turn-kept",
  "turn-recorded",
  "turn-word-recorded",
  "reply-stored",
  "turn-reported",
  "items-settled",
  "turn-ended",
  "history-archived",
] as const;

/** The failpoints of a question about a call, in order: in the agents' service, then in the tool server. */
export const questionFailpoints = [
  "question-told",
  "question-kept",
  "rule-kept",
  "decision-kept",
  "call-allowed",
  "call-begun",
] as const;

/** Failpoints that not every run or conversation comes to. */
type RarePoint =
  | "changes-taken"
  | "item-edited"
  | "run-requested"
  | "permission-kept"
  | "resumption-kept"
  | (typeof questionFailpoints)[number];

/** The failpoints of an answer in a workspace, in order: its task has a run, its message is begun, its task has ended. */
export const answerFailpoints = ["task-begun", "answer-begun", "answer-ended"] as const;

/** The failpoints of a message's way out to a channel, in order. */
export const deliveryFailpoints = ["delivery-prepared", "delivered", "delivery-noted"] as const;

/** The failpoints of what goes between a bound room and its thread: stored and not noted, sent and not noted. */
export const roomFailpoints = ["room-message-stored", "room-message-sent"] as const;

/** The failpoint of a terminal that opens: what waited is shown, and that isn't noted yet. */
export const terminalFailpoints = ["waiting-replies-shown"] as const;

export type Failpoint =
  | (typeof runFailpoints)[number]
  | (typeof agentFailpoints)[number]
  | RarePoint
  | (typeof deliveryFailpoints)[number]
  | (typeof answerFailpoints)[number]
  | (typeof roomFailpoints)[number]
  | (typeof terminalFailpoints)[number];

const { CORTEX_STOP_AT: always, CORTEX_STOP_FILE: file } = process.env;
let wish = "";
let left = 0;

/** Stops the process if a test has asked for this failpoint; does nothing otherwise. */
export function failpoint(point: Failpoint): void {
  if (file === undefined) return;
  const now = always ?? wishIn(`${file}.at`);
  const [wanted = "", times = "1"] = now.split(":");
  if (now !== wish) left = Number(times);
  wish = now;
  if (point !== nameOf(wanted) || --left !== 0) return;
  writeFileSync(file, `${process.pid} ${point}\n`);
  process.kill(process.pid, "SIGSTOP");
}

/** Failpoints by the names that they once had. */
const formerNames: Record<string, Failpoint> = { "last-word-written": "terminal-event-written" };

/** The failpoint of a name. Names once had spaces: `token issued` is still `token-issued`. */
function nameOf(text: string): string {
  const name = text.replace("'s", "").replaceAll(" ", "-");
  return formerNames[name] ?? name;
}

function wishIn(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return "";
  }
}
