/** `cortex channels`: what a channel needs on the other side. */
import { slackManifest } from "../../../channels/slack/manifest.ts";
import { exitCodes } from "../../../protocol/runs/exit-codes.ts";
import { type Command, parseCommandLine, unknownName, usageError } from "../../command/command.ts";

const help = `
Usage: cortex channels slack manifest [--name NAME]

  slack manifest  print the manifest of the Slack app, as JSON: paste it at https://api.slack.com/apps,
                  "Create New App", "From a manifest"

  --name NAME     what the app and its bot are called there, at most 35 characters; default Cortex
`;

/** From Slack's reference. */
const longestName = 35;

export const command: Command = {
  help,
  run: async (args) => {
    const options = { name: { type: "string" } } as const;
    const { values, positionals } = parseCommandLine(args, options, "cortex channels", 2);
    const [channel = "", action = ""] = positionals;
    if (channel !== "slack") throw unknownName("channel", channel, ["slack"], "cortex channels");
    if (action !== "manifest") throw unknownName("action", action, ["manifest"], "cortex channels slack");
    process.stdout.write(`${JSON.stringify(slackManifest(checkedName(values.name)), null, 2)}\n`);
    return exitCodes.done;
  },
};

function checkedName(given: string | undefined): string | undefined {
  const name = given?.trim();
  if (name === "" || (name ?? "").length > longestName)
    throw usageError(`--name: expected 1 to ${longestName} characters`, "for example: --name Cortex");
  return name;
}
