/** `cortex channels slack manifest`: the app, to paste at Slack. */
import { slackManifest } from "../../channels/slack/manifest.ts";
import { exitCodes } from "../../protocol/runs/exit-codes.ts";
import { usageError } from "../command/command.ts";

/** From Slack's reference. */
const longestName = 35;

/** @param given what the app is to be called */
export function printSlackManifest(given: string | undefined): number {
  const name = given?.trim();
  if (name === "" || (name ?? "").length > longestName)
    throw usageError(`--name: expected 1 to ${longestName} characters`, "for example: --name Cortex");
  process.stdout.write(`${JSON.stringify(slackManifest(name), null, 2)}\n`);
  return exitCodes.done;
}
