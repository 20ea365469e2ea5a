/** Answers in Markdown as Slack's mrkdwn, in parts. */
import { expect, test } from "vitest";
import { mrkdwnOf } from "../../../channels/slack/text/mrkdwn.ts";
import { cutText, messagesOf } from "../../../channels/slack/text/split.ts";

const shown = (markdown: string) => messagesOf(mrkdwnOf(markdown)).join("\n---\n");

test.each([
  ["emphasis", "**bold** *it* ~~gone~~ `a<b`", "*bold* _it_ ~gone~ `a&lt;b`"],
  ["emphasis within each other", "**bold *and* more**", "*bold _and_ more*"],
  ["a heading", "# One **two**\n\nText", "*One two*\n\nText"],
  ["a link", "[see](https://a.example/?x=1&y=2)", "<https://a.example/?x=1&amp;y=2|see>"],
  ["a bare address", "https://a.example/b", "<https://a.example/b>"],
  ["a link that leads nowhere", "[run](javascript:alert)", "run (javascript:alert)"],
  ["a link whose words would end it", "[a|b>c](https://a.example/d)", "<https://a.example/d|a b&gt;c>"],
  ["an address that would end its link", "[x](<https://a.example/|!channel>)", "<https://a.example/%7C!channel|x>"],
  ["a picture", "![cat](https://a.example/cat.png)", "<https://a.example/cat.png|cat>"],
  ["lists", "- a\n- b\n  1. c\n  2. d\n- [x] e", "• a\n• b\n    1. c\n    2. d\n☑ e"],
  ["a quote", "> a\n> b", "> a\n> b"],
  ["code", "```ts\nif (a < b) return;\n```", "```\nif (a &lt; b) return;\n```"],
  ["a table", "| a | bcd |\n|---|---|\n| 1 | 2 |", "```\na | bcd\n--|----\n1 | 2\n```"],
  ["a rule", "a\n\n---\n\nb", "a\n\n———\n\nb"],
  ["entities", "a &amp; b &lt;c&gt; \\*", "a &amp; b &lt;c&gt; *"],
  ["markup", "a <b>c</b>\n\n<div>d</div>", "a &lt;b&gt;c&lt;/b&gt;\n\n&lt;div&gt;d&lt;/div&gt;"],
])("%s", (_, markdown, mrkdwn) => {
  expect(shown(markdown)).toBe(mrkdwn);
});

test("no answer mentions anybody, or commands Slack", () => {
  for (const hostile of [
    "<!channel>",
    "<@U18>",
    "<#C1>",
    "<!subteam^S1>",
    "`<!here>`",
    "```\n<!here>\n```",
    "# <!everyone>",
    "[<!here>](https://a.example)",
    "| <!here> |\n|---|\n| <@U18> |",
    "<!here|x>",
    "- <@U18>",
    "> <!channel>",
    "![<!here>](https://a.example)",
    "[x](https://a.example/<!here>)",
    "**<!here>**",
    "&lt;!here&gt;",
  ])
    expect(shown(hostile)).not.toMatch(/<[!@#]/);
});

test("parts fit, hold whole links and entities, close their blocks of code, and lose nothing", () => {
  const code = Array.from({ length: 400 }, (_, n) => `    if (a${n} < b && c) return "&lt;";`).join("\n");
  const words = Array.from({ length: 900 }, (_, n) => `word${n} & [link ${n}](https://a.example/${n})`).join(" ");
  const parts = messagesOf(
    mrkdwnOf(`Look:\n\n\`\`\`ts\n${code}\n\`\`\`\n\n${words}\n\n${"&".repeat(5000)}\n\n${"😀".repeat(3000)}`),
  );
  expect(parts.length).toBeGreaterThan(8);
  for (const part of parts) {
    expect(part.length).toBeLessThanOrEqual(4000);
    expect(part.split("```").length % 2).toBe(1);
    expect(part.replaceAll(/<https:[^<>]+>/g, "")).not.toMatch(/[<>]/);
    expect(part.replaceAll(/&(?:amp|lt|gt);/g, "")).not.toContain("&");
    expect(part.isWellFormed()).toBe(true);
  }
  const all = parts.join("\n");
  for (const n of [0, 399]) expect(all).toContain(`    if (a${n} &lt; b`);
  for (const n of [0, 899]) expect(all).toContain(`<https://a.example/${n}|link ${n}>`);
  expect(all.split("&amp;").length - 1).toBe(400 * 3 + 900 + 5000);
  expect(all.split("😀").length - 1).toBe(3000);
});

test("what is too long or too deep to be read as Markdown goes out as it is, and soon", () => {
  for (const text of [
    "> ".repeat(50_000),
    "[".repeat(99_000),
    "*a ".repeat(33_000),
    `${"**".repeat(40_000)}`,
    "`".repeat(200_000),
    "<".repeat(90_000),
  ]) {
    const parts = messagesOf(mrkdwnOf(text));
    expect(parts.every(({ length }) => length <= 4000)).toBe(true);
  }
  expect(messagesOf(mrkdwnOf(" \n "))).toEqual([]);
  expect(cutText("a".repeat(10), 4)).toEqual(["aaaa", "aaaa", "aa"]);
});
