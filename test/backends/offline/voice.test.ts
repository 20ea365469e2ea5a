import { expect, test } from "vitest";
import { voiceStep } from "../../../backends/offline/voice.ts";

const tool = (name: string) => ({ name, description: "", schema: {} });
const all = [tool("reply"), tool("spawn_subagent")];
const user = (text: string) => ({ role: "user" as const, text });
const asked = user("[channel: cli | id: main]\nWhere is the key?\nThe small one.");

test("the offline voice says that it looks, and sends a sub-agent", () => {
  expect(voiceStep([asked], all, false)?.calls).toEqual([
    { tool: "reply", args: { text: "I look for that in the journal.", channelType: "cli", channelId: "main" } },
    {
      tool: "spawn_subagent",
      args: { description: "Where is the key?", input: "Where is the key?\nThe small one.", type: "explore" },
    },
  ]);
});

test("the offline voice says what the sub-agent has found, where it was asked last", () => {
  const notice = user(
    '<system_message origin="task:x">[Task abc completed] Where is the key?\nasked on: channelId "a"\n\nIn the drawer.\n\nReally.</system_message>',
  );
  const threaded = user("[channel: web | id: a | thread: t 1]\nand?");
  expect(voiceStep([asked, threaded, notice], all, false)?.calls).toEqual([
    { tool: "reply", args: { text: "In the drawer.\n\nReally.", channelType: "web", channelId: "a", replyTo: "t 1" } },
  ]);
});

test("the offline voice acts once a turn, answers nobody who isn't there, and has no voice without reply", () => {
  expect(voiceStep([asked], all, true)).toEqual({ calls: [], thought: "That is said." });
  expect(voiceStep([user('<system_message origin="cron">look</system_message>')], all, false)).toBe(null);
  expect(voiceStep([asked], [tool("search_journal")], false)).toBe(null);
  expect(voiceStep([asked], [tool("reply")], false)?.calls).toHaveLength(1);
});
