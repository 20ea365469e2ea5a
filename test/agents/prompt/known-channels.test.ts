import { expect, test } from "vitest";
import { buildPrompts } from "../../../agents/prompt/build.ts";
import { knownChannels } from "../../../agents/prompt/known-channels.ts";

test("an owner is reached at the terminal, on the channels that are started, and in a private chat", () => {
  const web = { type: "web", channelId: "main" };
  const cli = { type: "cli", channelId: "main" };
  const chat = (channelId: string) => ({ type: "telegram", channelId });
  const owners = ["telegram:17", "telegram:4", "alpha:x"];
  expect(knownChannels(undefined, [])).toEqual([cli, web]);
  expect(knownChannels({ web: { enabled: false } }, owners)).toEqual([cli]);
  expect(knownChannels({ telegram: {} }, owners)).toEqual([cli, web, chat("17"), chat("4")]);
  expect(knownChannels({ telegram: {} }, [])).toEqual([cli, web]);
  expect(knownChannels({ webhook: {} }, [])).toEqual([cli, web]);
  const webhook = { url: "https://example.org/hook" };
  expect(knownChannels({ webhook }, [])).toEqual([cli, web, { type: "webhook", channelId: "main" }]);
});

test("the prompt of an owner's agent lists the ids of their channels, and a stranger's names none", () => {
  const known = [{ type: "telegram", channelId: "17" }];
  const parts = { persona: undefined, tools: [], channelTypes: ["telegram"], skills: [], windowTokens: 1000 };
  const { main, stranger, task } = buildPrompts({ ...parts, knownChannels: known });
  expect(main).toContain("- channelType telegram, channelId 17");
  expect(`${stranger}${task(undefined)}`).not.toContain("channelId 17");
});
