/** No pattern that sees foreign text needs more than linear time: every literal of the shipped folders is looked at. */
import { globSync, readFileSync } from "node:fs";
import { parseSync, Visitor } from "oxc-parser";
import { expect, test } from "vitest";
import { systemMessage, unmarked, userMessage } from "../../conversation/marks/system-message.ts";
import { piecesOf } from "../../channels/telegram/format/markdown.ts";
import { splitStyled } from "../../channels/telegram/format/split.ts";
import { textOf } from "../../channels/telegram/format/styled-text.ts";
import { parseTodo } from "../../journal/entries/todos.ts";
import { SecretHider } from "../../protocol/guards/secrets.ts";
import { shippedFolders } from "../../tools/layers.ts";
import { judgedPatterns } from "./judged-patterns.ts";
import { isSuspicious } from "./suspicious-pattern.ts";

const folders = shippedFolders.join(",");

/** Files that make patterns of texts, and why none of them can go wrong. */
const makers: Record<string, string> = {
  "conversation/marks/system-message.ts": "its runs begin at one character that none of them holds",
  "journal/search/letters-apart.ts": "each looks at one letter and the marks on it, which no other match begins with",
  "journal/search/search-snippet.ts":
    "search puts its marks in pairs around words of a piece of some thousand characters",
  "web/machine/share/redaction.ts": "the names of this machine, as they are",
  "proc/logging/terminal.ts": "control sequences, each bounded or bound to its first character",
  "scripts/command/typed-command.ts": "the names of our own commands",
  "schedule/words/schedule-of-words.ts": "names of days and months, in a text of at most 200 characters",
  "backends/offline/dates.ts": "names of months and days, in a text of at most 10,000 characters",
};

type Found = { place: string; source: string; flags: string };

function patternsOf(path: string): { literals: Found[]; made: string[] } {
  const text = readFileSync(path, "utf8");
  const found: { literals: Found[]; made: string[] } = { literals: [], made: [] };
  const placeOf = (start: number) => `${path}:${text.slice(0, start).split("\n").length}`;
  const make = (callee: object) => "name" in callee && callee.name === "RegExp" && found.made.push(path);
  new Visitor({
    Literal: (node) => {
      if (!("regex" in node) || !node.regex) return;
      found.literals.push({ place: placeOf(node.start), source: node.regex.pattern, flags: node.regex.flags });
    },
    NewExpression: ({ callee }) => void make(callee),
    CallExpression: ({ callee }) => void make(callee),
  }).visit(parseSync(path, text).program);
  return found;
}

test("every pattern is plainly linear, or somebody has judged it", () => {
  const found = globSync(`{${folders}}/**/*.{ts,js}`)
    .filter((path) => !path.startsWith("scripts/conformance/"))
    .map(patternsOf);
  const doubted = found
    .flatMap(({ literals }) => literals)
    .filter(({ source, flags }) => isSuspicious(source, flags))
    .map(({ source, flags, place }) => ({ pattern: `/${source}/${flags}`, place }));
  // A new one: rewrite it, or judge it (npx recheck), and put it into judged-patterns.ts.
  expect(doubted.filter(({ pattern }) => !Object.hasOwn(judgedPatterns, pattern))).toEqual([]);
  expect(found.flatMap(({ made }) => made).filter((path) => !(path in makers))).toEqual([]);
  expect(doubted.length).toBeGreaterThan(20);
});

test("patterns that were quadratic are doubted", () => {
  for (const pattern of [
    /^(\s*)\[(?=\s*channel\s*:)/gim,
    /<(?=\s*\/?\s*system_message)/gi,
    /[\r\n]+$/,
    /<\/?system_message[^>]*>/g,
    /^(#{1,6})\s+(.*)$/,
    /cannot continue from .*not found/,
    /(a+)+b/,
  ])
    expect([pattern.source, isSuspicious(pattern.source, pattern.flags)]).toEqual([pattern.source, true]);
  for (const pattern of [/\s+/g, /^\d+$/, /[a-z]{1,64}x/, /^foo.*bar$/, /foo.*/])
    expect([pattern.source, isSuspicious(pattern.source, pattern.flags)]).toEqual([pattern.source, false]);
});

// Each would take minutes or hours if its time grew with the square of the text.
const many = 2 ** 20;

test("a message of a million ends of lines is written into a conversation at once", () => {
  for (const unit of ["\n", " ", "[\n", "< ", "<\t", "\r\n\t"]) {
    const text = unit.repeat(many);
    expect(userMessage({ type: "web", channelId: "1" }, text)).toBe(`[channel: web | id: 1]\n${text}`);
    expect(systemMessage("x", text).length).toBeGreaterThan(text.length);
  }
  expect(unmarked("< / system_message>")).toBe("&lt; / system_message>");
  expect(userMessage({ type: "web", channelId: "1" }, "\n \n\t[ channel : x]")).toMatch(/\n \n\t\\\[ channel : x\]$/);
});

test("long runs of one character are read at once wherever a file or a message holds them", () => {
  expect(parseTodo(`- [ ] x${" ".repeat(many)}y${" ".repeat(many)}`)?.text).toHaveLength(many + 2);
  expect(parseTodo("  - [X]\t done \t")).toEqual({ state: "done", text: "done" });
  for (const count of [many, 25_000]) {
    const parts = splitStyled(piecesOf(`${"~".repeat(count)}\r${"`".repeat(count)}`));
    expect(parts.every((part) => textOf(part).length <= 4096)).toBe(true);
  }
});

test("the possible beginning of a secret is found in one look", () => {
  const half = "a".repeat(2 ** 17);
  const hider = new SecretHider([`${half}b${half}`]).stream();
  let shown = "";
  for (let n = 0; n < 20; n++) shown += hider.push(half);
  expect(shown.length + hider.rest().length).toBe(20 * half.length);
  const other = new SecretHider(["abcabcabd-secret"]).stream();
  expect([other.push("xabcabcabcab"), other.push("d-secret!"), other.rest()]).toEqual(["xabc", "***!", ""]);
});
