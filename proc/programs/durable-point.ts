/**
 * Names the moments right after something was made durable, so that a test can stop the world at each of them. With
 * `CORTEX_STOP_AT=<point>` in its environment, `<point>:3` for the third time, the process says so in the file
 * `CORTEX_STOP_FILE` and stops with SIGSTOP, for whoever set that to kill it, or another, and to let it go on. Without
 * `CORTEX_STOP_AT` the point stands in the file `<CORTEX_STOP_FILE>.at`, as long as there is one: so that a test needn't
 * start the process anew for each.
 */
import { readFileSync, writeFileSync } from "node:fs";

/** In the order of a run's life. */
export const durablePoints = [
  "id assigned",
  "recorded",
  "offered",
  "acknowledged",
  "taken",
  "folder made",
  "file claimed",
  "request written",
  "token issued",
  "record kept",
  "configuration put",
  "begun",
  "spawned",
  "warm process taken",
  "warm process told",
  "place noted",
  "events written",
  "events published",
  "input put",
  "stop recorded",
  "next attempt kept",
  "process gone",
  "child reserved",
  "child kept",
  "last word written",
  "token revoked",
  "saved",
  "save written",
  "handoff written",
  "file linked",
  "file committed",
  "child claimed",
  "child published",
  "ledger ended",
  "claim ended",
  "request erased",
  "folder dropped",
] as const;

/** Those of long-lived agents, in the order of a turn. */
export const agentPoints = [
  "agent made",
  "item taken in",
  "turn kept",
  "turn recorded",
  "turn's word recorded",
  "reply stored",
  "turn reported",
  "items settled",
  "turn ended",
  "history archived",
] as const;

/** Of what not every conversation comes to. */
type RarePoint = "permission kept" | "resumption kept";

/** In the order of a message's way out to a channel. */
export const deliveryPoints = ["delivery prepared", "delivered", "delivery noted"] as const;
export type DurablePoint =
  | (typeof durablePoints)[number]
  | (typeof agentPoints)[number]
  | RarePoint
  | (typeof deliveryPoints)[number];

const { CORTEX_STOP_AT: always, CORTEX_STOP_FILE: file } = process.env;
let wish = "";
let left = 0;

/** This point is reached. Nothing happens, unless a test waits for it. */
export function reached(point: DurablePoint): void {
  if (file === undefined) return;
  const now = always ?? wishIn(`${file}.at`);
  const [wanted, times = "1"] = now.split(":");
  if (now !== wish) left = Number(times);
  wish = now;
  if (point !== wanted || --left !== 0) return;
  writeFileSync(file, `${process.pid} ${point}\n`);
  process.kill(process.pid, "SIGSTOP");
}

function wishIn(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return "";
  }
}
