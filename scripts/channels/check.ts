/** `cortex channels check`: whether the services take what the settings say. */
import { setups } from "../../channels/setups.ts";
import { messageOf } from "../../files/errors/error-message.ts";
import { readEndpoints } from "../../journal/access/endpoints.ts";
import { readSettings } from "../../journal/config/settings.ts";
import { cleaned } from "../../proc/logging/terminal.ts";
import { startedAdapters } from "../../protocol/agents/channel-settings.ts";
import { exitCodes } from "../../protocol/runs/exit-codes.ts";
import { usageError } from "../command/command.ts";

/** Milliseconds for which a service is waited for. */
export const checkWithinMs = 30_000;

type Checked = { type: string; ok: boolean; found?: string; problem?: string };

/** @param only this one; absent: all that `cortex up` starts */
export async function checkChannels(journal: string, only: string | undefined, isJson: boolean): Promise<number> {
  const { channels } = readSettings(journal);
  // Nobody has set up `web`: where nothing runs there is nothing of it to ask.
  const isWebAsked = only === "web" || channels?.["web"] !== undefined || readEndpoints(journal) !== null;
  const types = startedAdapters(channels).filter((type) =>
    only === undefined ? type !== "web" || isWebAsked : type === only,
  );
  if (only !== undefined && types.length === 0)
    throw usageError(
      `channels.${only} isn't set up in cortex.json, or is off`,
      `set it up: cortex channels add ${only}`,
    );
  const checked = await Promise.all(
    types.map(async (type): Promise<Checked> => {
      try {
        const signal = AbortSignal.timeout(checkWithinMs);
        const settings = channels?.[type] ?? {};
        const found =
          type === "web"
            ? await webAnswers(journal, signal)
            : await (await setups[type]()).check({ journal, settings, env: process.env, signal });
        return { type, ok: true, found };
      } catch (error) {
        return { type, ok: false, problem: messageOf(error) };
      }
    }),
  );
  if (isJson) process.stdout.write(`${JSON.stringify({ channels: checked })}\n`);
  else if (checked.length === 0) process.stdout.write("no channel is set up: cortex channels add TYPE\n");
  else
    for (const { type, ok, found, problem } of checked)
      process.stdout.write(`${type}: ${ok ? "ok, " : ""}${cleaned(found ?? problem ?? "")}\n`);
  return checked.every(({ ok }) => ok) ? exitCodes.done : exitCodes.failed;
}

async function webAnswers(journal: string, signal: AbortSignal): Promise<string> {
  const url = readEndpoints(journal)?.web_url;
  if (url === undefined) throw new Error("it isn't running: cortex up");
  const response = await fetch(`${url}/v1/health`, { signal }).catch((error: unknown) => {
    throw new Error(`${url} doesn't answer: cortex status says why`, { cause: error });
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`${url} answers ${response.status}: cortex logs channel-web`);
  return url;
}
