import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { shellCommands } from "../../../mcp-tools/permissions/shell-commands.ts";

test.each([
  ["git status", ["git status"]],
  ["  git   status  ", ["git status"]],
  ["git log | head -5 && ls; pwd & wc -l\nid", ["git log", "head -5", "ls", "pwd", "wc -l", "id"]],
  ["git commit -m 'a; rm -rf x'", ["git commit -m 'a; rm -rf x'"]],
  ['echo "a | b" c\\;d', ["echo 'a | b' 'c;d'"]],
  ["'git' \"push\" --to=x HEAD~1 HEAD^", ["git push --to=x HEAD~1 HEAD^"]],
  ["echo ''", ["echo ''"]],
  ["echo it\\'s", ["echo 'it'\\''s'"]],
])("the commands of %j are told apart", (line, commands) => {
  expect(shellCommands(line)).toEqual(commands);
});

test.each([
  "",
  "   ",
  ";",
  "git log > /etc/passwd",
  "git log $(rm x)",
  "git log `rm x`",
  'git log "$(rm x)"',
  "git log $HOME",
  "git {push,--force}",
  "git add *",
  "(git log)",
  "{ git log; }",
  "GIT_SSH_COMMAND=evil git fetch",
  "! git log",
  "if git log; then rm x; fi",
  "git log <<X\nrm\nX",
  "git 'log",
  "git log \\",
  "git \\\nlog",
  "git log # comment",
  "git ~/x",
  "'git log' x",
  "git log\u0000rm",
  "git log\rrm",
  "git log\u001b[2K",
  `git ${"a".repeat(20_000)}`,
])("a line such as %j can't be judged", (line) => {
  expect(shellCommands(line)).toBeNull();
});

test("a real shell reads the same words", () => {
  const lines = ["printf '%s\\n' a 'b c' \"d|e\" f\\;g", "printf '%s\\n' it\\'s '' --to=x HEAD~1"];
  for (const line of lines) {
    const [command = ""] = shellCommands(line) ?? [];
    const said = (text: string) => execFileSync("bash", ["-c", text], { encoding: "utf8" });
    expect(said(command)).toBe(said(line));
  }
});
