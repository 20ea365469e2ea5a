/** docs/conformance.md: which scenarios of the suite pass, and why the others don't apply. */
import { standIns } from "./stand-ins.ts";
import type { Result } from "./suite.ts";

export function conformancePage(
  results: Result[],
  notApplicable: Readonly<Record<string, string>>,
  version: string,
): string {
  const passed = results.filter(({ problem }) => problem === "").map(({ scenario }) => `- \`${scenario}\``);
  const failed = results.filter(({ problem }) => problem !== "");
  const others = failed.map(({ scenario }) => `| \`${scenario}\` | ${notApplicable[scenario] ?? "**fails**"} |`);
  const names = standIns.map(({ asked, given }) => `| ${asked} | ${given} |`);
  return `# Conformance

The MCP server against the official suite, \`@modelcontextprotocol/conformance\` ${version}: ${passed.length} of ${results.length} scenarios for servers pass.
\`npm run conformance\` runs it, as CI does, and fails when this page is no longer right; \`npm run conformance -- --write\` writes it.
A scenario with a warning counts as one that doesn't pass.

## Passed

${passed.join("\n")}

## Not applicable

| scenario | why |
| --- | --- |
${others.join("\n")}

## Stand-ins

The suite knows no tokens, and asks for things by names that only a test server has. A proxy between the two adds the token, and
changes these names; requests and answers are otherwise as the suite and the server wrote them.

| the suite asks for | it gets |
| --- | --- |
${names.join("\n")}
`;
}
