/** "Look up the weather in Beijing and tell me on Telegram", from `cortex chat`: a task searches the web, and the answer goes elsewhere than where it was asked. */
import { delimiter } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { afterAll, expect, test } from "vitest";
import { AgentsSystem } from "../../agents/agents-system.ts";
import type { Conversation } from "../../agents/conversation.ts";
import { ownBin } from "../../scripts/run-command.ts";
import type { PlayedTurn } from "../../support/providers/played.ts";
import { playSearxng } from "../../support/search-servers.ts";
import { BotApi, botToken } from "./bot-api.ts";

const page = { title: "Weather in Beijing", url: "https://weather.test/beijing" };
const searxng = await playSearxng({ results: [{ ...page, text: "Sunny, 25 °C." }] });
const api = await BotApi.start();
const system = await AgentsSystem.start(
  {
    channels: { web: { enabled: false }, telegram: { token_env: "BOT_TOKEN", api_root: api.root, allow: ["17"] } },
    agents: { join_window_ms: 0, owners: ["telegram:17"] },
    web_search: { url: searxng.url },
  },
  {
    "personas/looker.txt": "You look things up.",
    // Asked about some searches, so that its provider's own, which nobody could ask about, isn't used.
    "personas/looker.json": JSON.stringify({
      task: true,
      tools: "web, basics",
      permissions: [{ tool: "web_search", match: "*secret*", decide: "ask" }],
    }),
  },
  { BOT_TOKEN: botToken },
);
afterAll(async () => {
  await system[Symbol.asyncDispose]();
  await api[Symbol.asyncDispose]();
  await searxng[Symbol.asyncDispose]();
});

const chat = [fileURLToPath(new URL("../../../bin/cortex.js", import.meta.url)), "chat"];
const env = {
  PATH: `${ownBin}${delimiter}${process.env["PATH"]}`,
  HOME: system.journal,
  JOURNAL_PATH: system.journal,
  TERM: "xterm",
};

const say = (text: string, channelType: string, channelId: string) => ({
  tool: "reply",
  args: { text, channelType, channelId },
});

/** Delegates what it is asked, and hands on what it gets: where to, its prompt says. */
let task = { type: "", input: "" };
system.think("look up the weather", ({ last, results, system: prompt }) => {
  if (results.length > 0) return { text: "." };
  if (!last.includes("completed]")) {
    const spawn = { tool: "spawn_subagent", args: { description: "the weather", ...task } };
    return { calls: [say("I'm looking it up.", "cli", "main"), spawn] };
  }
  const id = /channelType telegram, channelId (\S+)/.exec(prompt)?.[1] ?? "unknown";
  const found = last.split("\n\n").slice(1).join("\n\n").replace("</system_message>", "");
  return { calls: [say(found, "telegram", id)] };
});

async function ask(text: string): Promise<void> {
  const options = { env, extendEnv: false, reject: false, stdin: "ignore" } as const;
  const { stdout, exitCode } = await execa(process.execPath, [...chat, text], options);
  expect([exitCode, stdout]).toEqual([0, "I'm looking it up."]);
}

test("an answer searched for by the engine of the settings is told on Telegram with the page", async () => {
  task = { type: "looker", input: "forecast-1: the weather in Beijing" };
  const think = ({ results: [result] }: Conversation): PlayedTurn =>
    result?.tool === "web_search"
      ? { text: `Beijing: ${result.text.replace(/^1\. /, "").replaceAll(/\s+/g, " ")}` }
      : { calls: [{ tool: "web_search", args: { query: "weather Beijing" } }] };
  system.think("forecast-1", think);
  await ask("look up the weather in Beijing and tell me on Telegram");
  await system.until(() => api.sent.length === 1, "the answer is on Telegram");
  expect(searxng.queries).toEqual(["weather Beijing"]);
  expect(api.sent[0]).toMatchObject({ chat_id: "17" });
  expect(api.sent[0]?.text).toContain("Sunny, 25 °C.");
  expect(JSON.stringify(api.calls)).toContain(page.url);
});

test("an answer searched for by the model's provider has its pages as links", async () => {
  task = { type: "general", input: "forecast-2: the weather in Lima" };
  const pages = [{ title: "Weather in Lima", url: "https://weather.test/lima" }];
  system.think("forecast-2", () => ({ search: { query: "weather Lima", pages }, text: "Lima: fog." }));
  const before = api.sent.length;
  await ask("look up the weather in Lima and tell me on Telegram");
  await system.until(() => api.sent.length === before + 1, "the answer is on Telegram");
  expect(api.sent.at(-1)).toMatchObject({ chat_id: "17" });
  expect(api.sent.at(-1)?.text).toContain("Lima: fog.");
  expect(JSON.stringify(api.calls.at(-1))).toContain("https://weather.test/lima");
  expect(searxng.queries).toEqual(["weather Beijing"]);
  expect(system.model.refusals).toEqual([]);
});
