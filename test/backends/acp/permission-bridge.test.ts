/** The calls of coding agents as rules see them. */
import { expect, test } from "vitest";
import { ownCalls } from "../../../backends/acp/permission-bridge.ts";
import type { KnownCall } from "../../../backends/acp/tool-calls.ts";

const call = (known: Partial<KnownCall>): KnownCall => ({
  id: "call-1",
  title: "a title",
  name: undefined,
  kind: "other",
  input: undefined,
  paths: [],
  content: [],
  output: undefined,
  printed: "",
  ...known,
});

const judged = (known: Partial<KnownCall>, titleIsCommand = false) =>
  ownCalls(call(known), { agent: "coder", titleIsCommand }).map(({ tool, args }) => [tool, Object.entries(args)[0]]);

const rows: [what: string, known: Partial<KnownCall>, seen: ReturnType<typeof judged>][] = [
  ["a command as text", { kind: "execute", input: { command: "git log" } }, [["bash", ["command", "git log"]]]],
  [
    "a command in a shell",
    { kind: "execute", input: { command: ["/bin/bash", "-lc", "git log | head"] } },
    [["bash", ["command", "git log | head"]]],
  ],
  [
    "a command as words, which no shell has read",
    { kind: "execute", input: { command: ["git", "log"] } },
    [["bash", ["command", null]]],
  ],
  [
    "a shell with words behind its script",
    { kind: "execute", input: { command: ["sh", "-c", "$0", "rm"] } },
    [["bash", ["command", null]]],
  ],
  [
    "a command that is called reading",
    { kind: "read", paths: ["/w/a"], input: { command: "cat a; rm b" } },
    [["bash", ["command", "cat a; rm b"]]],
  ],
  ["a command that isn't told", { kind: "execute", title: "git log" }, [["bash", ["command", null]]]],
  ["a change of one file", { kind: "edit", paths: ["/w/a.md"] }, [["edit", ["path", "/w/a.md"]]]],
  [
    "a change of several, each once",
    {
      kind: "edit",
      paths: ["/w/a.md"],
      content: [
        { type: "diff", path: "/w/a.md", newText: "a" },
        { type: "diff", path: "/w/b.md", newText: "b" },
      ],
      input: { file_path: "/w/c.md" },
    },
    [
      ["edit", ["path", "/w/a.md"]],
      ["edit", ["path", "/w/b.md"]],
      ["edit", ["path", "/w/c.md"]],
    ],
  ],
  ["a change of nobody knows what", { kind: "edit" }, [["edit", ["path", null]]]],
  ["a page", { kind: "fetch", input: { url: "https://example.org" } }, [["web_fetch", ["url", "https://example.org"]]]],
  ["a search", { kind: "search", input: { pattern: "roses" } }, [["grep", ["pattern", "roses"]]]],
  ["a file that goes", { kind: "delete", paths: ["/w/a.md"] }, [["coder.delete", ["path", "/w/a.md"]]]],
  ["a tool of its own", { kind: "other", name: "deploy" }, [["coder.deploy", ["title", "a title"]]]],
];

test.each(rows)("%s", (_, known, seen) => {
  expect(judged(known)).toEqual(seen);
});

test("the title of an agent that gives its command there is the command", () => {
  expect(judged({ kind: "execute", title: "git log" }, true)).toEqual([["bash", ["command", "git log"]]]);
});

test("a large input is told in part, so that the question isn't too long to be asked", () => {
  const [own] = ownCalls(call({ kind: "edit", paths: ["/w/a"], input: { content: "x".repeat(1_000_000) } }), {
    agent: "coder",
    titleIsCommand: false,
  });
  expect(JSON.stringify(own).length).toBeLessThan(100_000);
});
