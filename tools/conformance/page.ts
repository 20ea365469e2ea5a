/** docs/conformance.md: which scenarios of the suite pass, and why the others don't apply. */
import { reasonFor } from "./not-applicable.ts";
import { type Role, type Version, versions } from "./requirements.ts";
import { standIns } from "./stand-ins.ts";
import type { Result } from "./suite.ts";

const roles: Readonly<Record<Role, string>> = { server: "our server", client: "our client of external servers" };

export function conformancePage(results: Result[], suite: string): string {
  const parts = versions.flatMap((version) =>
    (["server", "client"] as const).map((role) => partOf(results, version, role)),
  );
  const names = standIns.map(({ asked, given }) => `| ${asked} | ${given} |`);
  return `# Conformance

The MCP server and the client of external servers against the official suite, \`@modelcontextprotocol/conformance\` ${suite}, with the
requirements that it froze for each version of the protocol. Scenarios that it runs without counting them (extensions, and those that
came later) are marked. \`npm run conformance\` runs all of it, as CI does, and fails when this page is no longer right;
\`npm run conformance -- --write\` writes it. A scenario with a warning counts as one that doesn't pass.

${parts.join("\n")}
## Stand-ins

The suite knows no tokens, and asks for things by names that only a test server has. A proxy between the two adds the token, and
changes these names; requests and answers are otherwise as the suite and the server wrote them.

| the suite asks for | it gets |
| --- | --- |
${names.join("\n")}
`;
}

function partOf(all: Result[], version: Version, role: Role): string {
  const results = all.filter((one) => one.version === version && one.role === role);
  const required = results.filter(({ isRequired }) => isRequired);
  const count = required.filter(({ problem }) => problem === "").length;
  const mark = ({ scenario, isRequired }: Result) => `\`${scenario}\`${isRequired ? "" : " (not counted)"}`;
  const passed = results.filter(({ problem }) => problem === "").map((one) => `- ${mark(one)}`);
  const others = results
    .filter(({ problem }) => problem !== "")
    .map((one) => `| ${mark(one)} | ${reasonFor(role, one.scenario) ?? "**fails**"} |`);
  return `## ${version}, ${roles[role]}: ${count} of ${required.length}

${passed.join("\n")}

| not applicable | why |
| --- | --- |
${others.join("\n")}
`;
}
