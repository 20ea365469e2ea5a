/** The channel `signal` against a server that plays signal-cli's daemon. */
import type { ChannelSettings } from "../../../protocol/agents/channel-settings.ts";
import { ChannelSystem, outbound } from "../channel-system.ts";
import { ada, ownNumber, PlayedSignalCli } from "./played-signal-cli.ts";

/** A channel that runs against it, with whatever a test starts beside it. */
export async function startAccount(settings: ChannelSettings = {}) {
  const daemon = await PlayedSignalCli.start();
  const system = await ChannelSystem.start({ signal: { url: daemon.url, number: ownNumber, ...settings } });
  const start = async (env: Record<string, string> = {}) => {
    const program = system.start("signal", env);
    await program.isReady();
    await system.until(() => daemon.isHeard, "somebody listens");
    return program;
  };
  const first = await start();
  return {
    daemon,
    system,
    first,
    start,
    async [Symbol.asyncDispose]() {
      await system[Symbol.asyncDispose]();
      await daemon[Symbol.asyncDispose]();
    },
  };
}

export const toAda = (id: string, text = `text of ${id}`) => ({
  ...outbound(id, "signal", text),
  channel: { type: "signal", channelId: ada.uuid },
});
