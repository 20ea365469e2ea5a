/** The table of coding agents: which run under Cortex, and what each gets, as `npm run backends` saw it. */
import { acpPresetNames, acpPresets, type AcpPreset } from "../../protocol/settings/acp-presets.ts";
import { modelProviders } from "../../protocol/settings/model-providers.ts";
import { coderTests } from "../../test/backends/acp/coder-tests.ts";
import { readSeenCoders, type SeenCoders } from "../backends/seen-coders.ts";

const tableStart = "| agent | program |";

/** The table as Markdown, without a line break at its end. */
export function codersTable(seen: SeenCoders = readSeenCoders()): string {
  const rows = acpPresetNames.map((name) => rowOf(name, acpPresets[name], seen[name]));
  return [
    `${tableStart} key | limits | cost | rules, approvals | sandbox | changes shown, applied | our tools | goes on | outlives cortex | tried |`,
    "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ...rows,
  ].join("\n");
}

/**
 * The README with that table in the place of the one that it has.
 * @throws Error where it has none
 */
export function withCodersTable(readme: string, table = codersTable()): string {
  const lines = readme.split("\n");
  const at = lines.findIndex((line) => line.startsWith(tableStart));
  if (at === -1) throw new Error(`README.md has no table that begins with "${tableStart}"`);
  const length = lines.slice(at).findIndex((line) => !line.startsWith("|"));
  return lines.toSpliced(at, length, table).join("\n");
}

function rowOf(name: string, { command, providers, tried }: AcpPreset, seen: Record<string, boolean> = {}): string {
  const mark = (test: keyof typeof coderTests) => {
    const passed = seen[coderTests[test]];
    return passed === undefined ? "not tried" : passed ? "yes" : "no";
  };
  const keys =
    providers.length > 1
      ? "any provider's"
      : (providers.map((one) => `\`${modelProviders[one].key}\``)[0] ?? "its login");
  const limits = providers.length === 0 ? "after the call" : mark("cap") === "yes" ? "before the call" : mark("cap");
  return `| \`${name}\` | \`${command.join(" ")}\` | ${keys} | ${limits} | ${mark("cost")} | ${mark("denied")} | ${mark("wall")} | ${mark("changes")} | ${mark("tools")} | ${mark("continue")} | ${mark("killed")} | ${tried ?? "no"} |`;
}
