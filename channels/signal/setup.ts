/** Set-up of the channel `signal`. */
import { allowQuestion, type ChannelSetup, pairStep } from "../adapter/setup.ts";
import { readSignalConfig } from "./signal-config.ts";
import { signalRpc } from "./signal-rpc.ts";

export const signalSetup: ChannelSetup = {
  before: [
    "Install signal-cli, and register or link a number with it: https://github.com/AsamK/signal-cli",
    "Run its daemon on this machine alone, as docs/channels/signal.md says",
  ],
  questions: [
    { setting: "url", ask: "Where the daemon is", usual: "http://127.0.0.1:8080" },
    { setting: "number", ask: "The number that it has (+491700000001)" },
    allowQuestion("numbers, or uuids of people without one"),
  ],
  check: async ({ journal, settings, signal }) => {
    const config = readSignalConfig({ journal, settings });

    await signalRpc(config)("getUserStatus", { recipient: [config.number] }, signal);
    return `signal-cli with ${config.number}`;
  },
  after: ({ number }) => [`Write to ${number} on Signal`, pairStep],
};
