/** The telegram channel against a server that speaks the Bot API. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ChannelSettings } from "../../../protocol/agents/channel-settings.ts";
import { ChannelSystem, outbound } from "../channel-system.ts";
import { BotApi, botToken } from "./bot-api.ts";

/** A channel that runs against it, with whatever a test starts beside it. */
export async function startBot(settings: ChannelSettings = {}) {
  const api = await BotApi.start();
  const telegram = { token_file: "bot-token", api_url: api.root, ...settings };
  const system = await ChannelSystem.start({ telegram });
  writeFileSync(join(system.journal, "bot-token"), `${botToken}\n`, { mode: 0o600 });
  const start = async (env: Record<string, string> = {}) => {
    const program = system.start("telegram", env);
    await program.isReady();
    return program;
  };
  const [first] = [await start()];
  return {
    api,
    system,
    first,
    start,
    async [Symbol.asyncDispose]() {
      await system[Symbol.asyncDispose]();
      await api[Symbol.asyncDispose]();
    },
  };
}

/** A message for the chat of Ada, whose id is 17. */
export const toAda = (id: string, text = `text of ${id}`) => ({
  ...outbound(id, "telegram", text),
  channel: { type: "telegram", channelId: "17" },
});
