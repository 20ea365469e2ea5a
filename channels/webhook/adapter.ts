/** The channel `webhook`: messages come in over HTTP and go out over HTTP, each signed. */
import { ChannelSecretError, readChannelSecret } from "../../journal/channels/channel-secret.ts";
import type { ChannelAdapter } from "../adapter/adapter.ts";
import { PermanentDeliveryError } from "../adapter/delivery-errors.ts";
import type { AdapterDeps } from "../adapter/open-adapter.ts";
import { withFileNames } from "../adapter/file-names.ts";
import { incomingServer } from "./incoming.ts";
import { postMessage } from "./outgoing.ts";
import { secretProblem, secretWarning } from "./signature.ts";

const usualPort = 6272;

export async function openWebhook({ journal, settings, env, bus, log }: AdapterDeps): Promise<ChannelAdapter> {
  const { url, port = usualPort, secret_file: file, secret_env: variable } = settings;
  const secret = readChannelSecret(journal, env, { name: "channels.webhook.secret", file, variable });
  const problem = secretProblem(secret);
  if (problem !== undefined) throw new ChannelSecretError(`channels.webhook.secret: ${problem}`);
  const warning = secretWarning(secret);
  if (warning !== undefined) log.warn(`channels.webhook.secret: ${warning}`);
  let close = async () => {};
  return {
    type: "webhook",
    start: async (agent) => {
      const onError = (error: unknown) => log.error({ err: error }, "a request failed");
      const server = incomingServer({ secret, journal, bus, agent, onError });
      close = () => server.close();
      // Others know this port: another one would be no use.
      return { url: await server.listen({ host: "127.0.0.1", port }) };
    },
    deliver: async (message, signal) => {
      if (url === undefined)
        throw new PermanentDeliveryError("nothing goes out: set channels.webhook.url in cortex.json");
      await postMessage(url, secret, withFileNames(message), signal);
      return {};
    },
    stop: () => close(),
  };
}
