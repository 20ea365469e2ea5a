import { execFileSync } from "node:child_process";
import { parseArgs } from "node:util";
import { expect, test } from "vitest";
import { requestCommand } from "../../../../page/words/runs/request-command.ts";
import { requestFrom, requestOptions } from "../../../../scripts/runs/request-options.ts";

const run = { persona: "coder", backend: "openai", model: "gpt-5", agent: null };

/** The request that the command makes, as a shell hands it on. */
function requestOf(command: string | null): Record<string, unknown> {
  const script = `set -- ${(command ?? "").replace("cortex-request ", "")}; printf '%s\\0' "$@"`;
  const args = execFileSync("sh", ["-c", script], { encoding: "utf8" }).split("\0").slice(0, -1);
  const { values, positionals } = parseArgs({ args, options: requestOptions, allowPositionals: true });
  return requestFrom(positionals[0] ?? "", values);
}

test("the command makes the same request again, whatever stands in it, with the persona, backend and model that the run had", () => {
  const request = {
    prompt: `it's "so" $HOME \`id\` \\ !\nnext`,
    facet: "garden",
    continue_from: "1737360744213",
    timeout_seconds: 90,
    worktree: true,
    folder: "/tmp/a b",
    tools: "journal, todo",
    handoff: { persona: "reviewer", prompt: "it's yours" },
    own_field: "7",
  };
  expect(requestOf(requestCommand({ ...run, request }))).toEqual({
    ...request,
    persona: "coder",
    backend: "openai",
    model: "gpt-5",
  });
});

test("what cortex set itself is left out, and what was asked for counts before what the run had", () => {
  const request = { prompt: "hello", model: "asked", schedule: "audit", again_of: "1737360744213", watched: true };
  expect(requestCommand({ ...run, request })).toBe("cortex-request -p coder -b openai -m asked hello");
});

test("a prompt that begins with a dash is no option", () => {
  for (const prompt of ["-", "--json", "-p x"])
    expect(requestOf(requestCommand({ ...run, request: { prompt } }))).toMatchObject({ prompt });
});

test("no command is given for a turn of an agent, for secrets, for a list of tools, for what was cut, and for signs that a terminal obeys", () => {
  const none = (request: Record<string, unknown>, agent: string | null = null) =>
    requestCommand({ ...run, agent, request });
  expect(none({ prompt: "hello" }, "wren")).toBeNull();
  expect(none({ prompt: "hello", env: { KEY: "***" } })).toBeNull();
  expect(none({ prompt: `${"x".repeat(20_000)}…` })).toBeNull();
  expect(none({ prompt: "hello\u001b[201~; id" })).toBeNull();
  expect(none({ prompt: "\u202Eback" })).toBeNull();
  expect(none({ prompt: "hello", tools: ["search_journal"] })).toBeNull();
  expect(none({})).toBeNull();
});
