/** The channel `sms` against a server that plays Twilio. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ChannelSettings } from "../../../protocol/agents/channel-settings.ts";
import { ChannelSystem, outbound } from "../channel-system.ts";
import { accountSid, authToken, ownNumber, PlayedTwilio, publicUrl } from "./played-twilio.ts";

export const ada = "+491700000017";

/** A channel that runs against it, with whatever a test starts beside it. */
export async function startNumber(settings: ChannelSettings = {}) {
  const twilio = await PlayedTwilio.start();
  const sms = {
    account_sid: accountSid,
    auth_token_file: "twilio-token",
    from: ownNumber,
    port: 0,
    public_url: publicUrl,
    api_url: twilio.url,
    ...settings,
  };
  const system = await ChannelSystem.start({ sms });
  writeFileSync(join(system.journal, "twilio-token"), `${authToken}\n`, { mode: 0o600 });
  const start = async (env: Record<string, string> = {}) => {
    const program = system.start("sms", env);
    twilio.webhook = await program.isReady();
    return program;
  };
  const first = await start();
  return {
    twilio,
    system,
    first,
    start,
    async [Symbol.asyncDispose]() {
      await system[Symbol.asyncDispose]();
      await twilio[Symbol.asyncDispose]();
    },
  };
}

export const toAda = (id: string, text = `text of ${id}`) => ({
  ...outbound(id, "sms", text),
  channel: { type: "sms", channelId: ada },
});
