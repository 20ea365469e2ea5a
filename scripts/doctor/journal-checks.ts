/** Whether the journal can be used, and what stands in it: settings, personas, lost deliveries. */
import { accessSync, constants, existsSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { readLateFailures } from "../../journal/channels/late-failures.ts";
import { settingsPath } from "../../journal/config/settings.ts";
import { loadPersonas } from "../../personas/load.ts";
import type { Environment } from "../../proc/programs/environment.ts";
import { checkSettings } from "../settings/check-settings.ts";
import { shellQuoted } from "../command/layout/shell-quoted.ts";
import type { Finding } from "./check.ts";

const mebibyte = 1024 * 1024;
const scarceBytes = 1024 * mebibyte;
const neededBytes = 64 * mebibyte;
const dayMs = 24 * 3_600_000;
/** Lost deliveries that are shown; the log has all. */
const mostShown = 5;

export function checkJournal({ journalPath: journal }: Environment): Finding {
  const name = "journal";
  const stats = statSync(journal, { throwIfNoEntry: false });
  const place = existingParent(journal);
  if (stats && !stats.isDirectory())
    return {
      name,
      ok: "fail",
      detail: `${journal} is not a folder`,
      remedy: "export JOURNAL_PATH=…, the path of a folder",
    };
  if (!isWritable(place))
    return {
      name,
      ok: "fail",
      detail: `${place} can't be written to`,
      remedy: `sudo chown -R "$USER" ${shellQuoted(place)}`,
    };
  const { bavail, bsize } = statfsSync(place);
  const free = bavail * bsize;
  const space = `${Math.floor(free / mebibyte)} MiB free`;
  if (free < neededBytes) return { name, ok: "fail", detail: `${journal}: ${space}`, remedy: "make room on that disk" };
  if (!stats)
    return {
      name,
      ok: "warn",
      detail: `${journal} doesn't exist yet: cortex up makes it (${space})`,
      remedy: "cortex up",
    };
  return { name, ok: free < scarceBytes ? "warn" : "ok", detail: `${journal} (${space})` };
}

export function checkSettingsFile({ journalPath: journal }: Environment): Finding {
  const name = "settings";
  const path = settingsPath(journal);
  if (!existsSync(path)) return { name, ok: "ok", detail: "no cortex.json: the defaults apply" };
  const { problems, warnings } = checkSettings(journal);
  const remedy = "cortex config check";
  if (problems.length > 0) return { name, ok: "fail", detail: `${path}: ${problems.join("; ")}`, remedy };
  if (warnings.length > 0) return { name, ok: "warn", detail: `${path}: ${warnings.join("; ")}`, remedy };
  return { name, ok: "ok", detail: path };
}

export function checkPersonas({ journalPath: journal }: Environment): Finding {
  const name = "personas";
  const { personas, problems, warnings } = loadPersonas(journal);
  const remedy = "cortex persona check";
  const count = `${personas.size} can be used`;
  if (problems.length > 0)
    return {
      name,
      ok: "fail",
      detail: `${count}; ${problems.map((one) => `${one.path}: ${one.error}`).join("; ")}`,
      remedy,
    };
  if (warnings.length > 0) return { name, ok: "warn", detail: `${count}, ${warnings.length} look mistyped`, remedy };
  return { name, ok: "ok", detail: count };
}

/** Messages that a channel's service had accepted, and that didn't arrive: their receipts were told before. */
export function checkDeliveries({ journalPath: journal }: Environment): Finding {
  const name = "deliveries";
  const lost = readLateFailures(journal, "sms").filter(({ ts }) => Date.now() - ts < dayMs);
  if (lost.length === 0) return { name, ok: "ok", detail: "no message was lost after its service had accepted it" };
  const shown = lost.slice(-mostShown).map(({ id, error }) => `${id}: ${error}`);
  const more = lost.length > mostShown ? `; and ${lost.length - mostShown} more` : "";
  return {
    name,
    ok: "warn",
    detail: `accepted by sms, and lost all the same: ${shown.toReversed().join("; ")}${more}`,
    remedy: "cortex logs channel-sms",
    items: lost,
  };
}

function existingParent(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : existingParent(dirname(path));
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
