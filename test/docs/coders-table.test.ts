/** The words on coding agents say what the presets say, and what `npm run backends` has seen. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type AcpPreset, acpPresets } from "../../protocol/settings/acp-presets.ts";
import { coderPackages } from "../../tools/backends/programs.ts";
import { readSeenCoders } from "../../tools/backends/seen-coders.ts";
import { withCodersTable } from "../../tools/docs/coders-table.ts";
import { coderTests } from "../backends/acp/coder-tests.ts";

test("the README's table of coding agents is replaced, and nothing around it", () => {
  const readme = readFileSync("README.md", "utf8");
  const [head = ""] = readme.split("\n").filter((line) => line.startsWith("| agent | program |"));
  expect(withCodersTable(readme, `${head}\n| new |`)).toBe(
    readme.replace(/^\| agent \| program \|(?:.*\n\|)*.*$/m, `${head}\n| new |`),
  );
  expect(() => withCodersTable("no table here")).toThrow("README.md has no table");
});

test("each agent that is installed for the table was seen in every test", () => {
  const seen = readSeenCoders();
  expect(Object.keys(seen).toSorted()).toEqual(Object.keys(coderPackages).toSorted());
  for (const tests of Object.values(seen))
    expect(Object.keys(tests).toSorted()).toEqual(Object.values(coderTests).toSorted());
});

test.each(Object.entries<AcpPreset>(acpPresets))(
  "docs/coding-agents.md has the row of %s",
  (name, { command, install, tried }) => {
    const rows = readFileSync("docs/coding-agents.md", "utf8")
      .split("\n")
      .filter((line) => line.startsWith(`| \`${name}\` | `));
    expect(rows).toHaveLength(1);
    for (const said of [`\`${command.join(" ")}\``, tried ?? "| no |"]) expect(rows[0]).toContain(said);
    if (install.startsWith("npm")) expect(rows[0]).toContain(`\`${install}\``);
  },
);
