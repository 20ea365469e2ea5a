/** Items that cortex has put away because it failed on them, each with its reason. */
import { listQuarantine } from "../../journal/quarantine/quarantine.ts";
import type { Environment } from "../../proc/programs/environment.ts";
import { describeQuarantined, quarantinedLine } from "../command/layout/quarantined-text.ts";
import type { Finding } from "./check.ts";

/** As many as are shown; the command lists all. */
const mostShown = 10;

export function checkQuarantine({ journalPath: journal }: Environment): Finding {
  const name = "quarantine";
  const all = listQuarantine(journal);
  if (all.length === 0) return { name, ok: "ok", detail: "nothing is in quarantine" };
  const more = all.length > mostShown ? `; and ${all.length - mostShown} more` : "";
  const shown = all.slice(-mostShown).toReversed();
  return {
    name,
    ok: "warn",
    detail: `${all.length} in quarantine after failing three times: ${shown.map(quarantinedLine).join("; ")}${more}`,
    remedy: "see one: cortex quarantine show ID; then: cortex quarantine retry ID, or drop ID",
    items: all.map(describeQuarantined),
  };
}
