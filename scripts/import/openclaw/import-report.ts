/** The report of an import for people: what it has carried over, what stands in its way and what it left out. */
import { cleaned } from "../../../proc/logging/terminal.ts";
import { columns } from "../../command/layout/columns.ts";
import { asTyped } from "../../command/typed-command.ts";
import type { CarriedFile } from "./carry-out.ts";
import type { LeftOut } from "./source-folder.ts";

export type ImportReport = {
  ok: boolean;
  dry_run: boolean;
  from: string;
  /** Without `--dry-run`. */
  command: string;
  /** The one that was made; null: an agent of a workspace was. */
  persona: string | null;
  schedule: { persona: string; on: boolean } | null;
  files: CarriedFile[];
  left_out: LeftOut[];
  notes: string[];
};

/** Rows of one kind that are shown; `--json` has all. */
const mostRows = 100;

export function reportText(report: ImportReport): string {
  const { files, left_out: leftOut, notes, dry_run: isDryRun, from } = report;
  const carried = files.filter(({ state }) => state !== "conflict");
  const conflicts = files.filter(({ state }) => state === "conflict");
  return [
    `${isDryRun ? "what an import would do; nothing was written: " : ""}${cleaned(from)}`,
    ...titled(
      "carried over",
      carried.map((file) => [file.from, file.to, file.state === "new" ? file.what : `${file.what}, there already`]),
    ),
    ...titled(
      "conflicts: what stands there was left as it is",
      conflicts.map((file) => [file.from, file.to, file.why ?? ""]),
    ),
    ...titled(
      "not carried over",
      leftOut.map(({ from: path, why }) => [path, why]),
    ),
    ...titled(
      "to know",
      notes.map((note) => [note]),
    ),
    ...titled(
      "next",
      nextSteps(report).map((step) => [asTyped(step)]),
    ),
  ].join("\n");
}

function titled(title: string, rows: string[][]): string[] {
  if (rows.length === 0) return [];
  const more = rows.length > mostRows ? [`  … and ${rows.length - mostRows} more: --json has all`] : [];
  const lines = columns(rows.slice(0, mostRows).map((row) => row.map(cleaned))).split("\n");
  return ["", `${title}:`, ...lines.map((line) => `  ${line}`), ...more];
}

function nextSteps({ dry_run: isDryRun, command, persona, schedule, files }: ImportReport): string[] {
  if (isDryRun) return [`${command}   to do it`];
  const isThere = (to: string) => files.some((file) => file.to === to && file.state !== "conflict");
  const agent = files.find(({ what, state }) => what === "agent" && state !== "conflict");
  return [
    ...(persona !== null && isThere(`personas/${persona}.txt`) ? [`cortex chat -p ${persona}   to talk to it`] : []),
    ...(agent ? [`cortex thread post --new Hello --wait "${agent.to.split(" ")[0]} who are you?"`] : []),
    ...(schedule && !schedule.on
      ? [`cortex schedule enable ${schedule.persona}   to have its heartbeat every half hour, which costs money`]
      : []),
  ];
}
