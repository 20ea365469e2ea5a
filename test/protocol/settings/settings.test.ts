import { expect, test } from "vitest";
import { issueTexts } from "../../../protocol/words/issues.ts";
import { Settings } from "../../../protocol/settings/settings.ts";

function problems(server: unknown, name = "own"): string[] {
  const value = { mcp_servers: { [name]: server } };
  const parsed = Settings.safeParse(value);
  return parsed.success ? [] : issueTexts(parsed.error, value);
}

test.each([
  { url: "https://example.org/mcp", headers: { Authorization: "Bearer x" }, timeout_seconds: 5 },
  { command: ["npx", "server"], env: { A: "b" }, cwd: "tools" },
])("a server %j can be declared", (server) => {
  expect(problems(server)).toEqual([]);
});

test.each([
  [{}, "mcp_servers.own.url: expected one of url and command, got nothing"],
  [
    { url: "http://x/", command: ["x"] },
    'mcp_servers.own.command: expected one of url and command, not both, got ["x"]',
  ],
  [{ url: "ftp://x" }, 'mcp_servers.own.url: expected an http or https address, got "ftp://x"'],
  [{ command: "npx server" }, 'mcp_servers.own.command: expected array, got "npx server"'],
  [{ command: ["x"], headers: { A: "b" } }, "mcp_servers.own.headers: expected only together with url, got a secret"],
  [{ url: "http://x/", env: { KEY: "k" } }, "mcp_servers.own.env: expected only together with command, got a secret"],
  [
    { url: "http://x/", headers: { Authorization: 5 } },
    "mcp_servers.own.headers.Authorization: expected string, got a secret",
  ],
])("a server %j is refused with the problem, and without a secret", (server, problem) => {
  expect(problems(server)).toEqual([problem]);
});

test.each([
  ["Upper", "expected a name that matches"],
  ["a.b", "expected a name that matches"],
  ["journal", "expected another name: a pack of tools has this one"],
  ["apps", "expected another name: a pack of tools has this one"],
])("a server can't be called %s", (name, problem) => {
  expect(problems({ command: ["x"] }, name)).toEqual([expect.stringContaining(problem)]);
});
