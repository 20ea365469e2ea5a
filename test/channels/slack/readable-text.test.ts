/** Texts of Slack's as their writers saw them, and addresses that are its own. */
import { expect, test } from "vitest";
import { ownAddress } from "../../../channels/slack/own-host.ts";
import { mentionedIn, readableText } from "../../../channels/slack/text/readable-text.ts";

const names = new Map([["U18", "Bea"]]);

test.each([
  ["<@U0BOT> do this", "do this"],
  ["<@U18> and <@U19> and <@U20|cem>", "@Bea and @U19 and @cem"],
  ["<#C1|harbor> <#C2>", "#harbor #C2"],
  ["<!here> <!subteam^S1|@crew> <!subteam^S2> <!date^1^{date}|18 Feb>", "@here @crew @subteam 18 Feb"],
  [
    "<https://a.example> <https://a.example|see> <mailto:a@b.example|a@b.example>",
    "https://a.example see (https://a.example) a@b.example",
  ],
  ["1 &lt; 2 &amp;&amp; &amp;lt;", "1 < 2 && &lt;"],
  ["a < b <> c", "a < b <> c"],
])("%s", (text, read) => {
  expect(readableText(text, "U0BOT", names)).toBe(read);
});

test("the people whom a text mentions are found, each once", () => {
  expect(mentionedIn("<@U1> <@U2|x> <@U1> <!here> <https://a.example>")).toEqual(["U1", "U2"]);
});

test.each([
  ["https://files.slack.com/files-pri/T1-F1/download/a.txt", "https://slack.com/api/", true],
  ["https://files.slack-gov.com/a", "https://slack-gov.com/api/", true],
  ["https://files.slack-gov.com/a", "https://slack.com/api/", false],
  ["http://files.slack.com/a", "https://slack.com/api/", false],
  ["https://files.slack.com:8443/a", "https://slack.com/api/", false],
  ["https://files.slack.com.evil.example/a", "https://slack.com/api/", false],
  ["https://evilfiles.slack.com/a", "https://slack.com/api/", false],
  ["https://x@files.slack.com/a", "https://slack.com/api/", false],
  ["https://files.slack.com/a", "http://127.0.0.1:80/api/", false],
  ["http://127.0.0.1:8080/files/a", "http://127.0.0.1:8080/api/", true],
  ["http://127.0.0.1:8081/files/a", "http://127.0.0.1:8080/api/", false],
  ["file:///etc/passwd", "https://slack.com/api/", false],
  ["nonsense", "https://slack.com/api/", false],
])("%s with %s: %s", (address, api, isOwn) => {
  expect(ownAddress(address, api) !== null).toBe(isOwn);
});
