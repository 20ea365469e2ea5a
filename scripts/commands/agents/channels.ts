/** `cortex channels`: the channels that there are, whether their services take what the settings say, and how one is added. */
import { setups } from "../../../channels/setups.ts";
import { readEnvironment } from "../../../proc/programs/environment.ts";
import { AdapterType } from "../../../protocol/agents/channel-settings.ts";
import { type Command, parseCommandLine, unknownName, usageError } from "../../command/command.ts";

const help = `
Usage: cortex channels list [--json]
       cortex channels check [TYPE] [--json]
       cortex channels add TYPE [--again] [--json]
       cortex channels slack manifest [--name NAME]

  list            each channel, and whether its program runs
  check           ask the services of those in cortex.json whether they take what stands there; exits 1 where one doesn't
  add             ask for what a channel needs, have its service check it, and write settings and secrets;
                  answers come from stdin, one a line, where that is no terminal
  slack manifest  print the manifest of the Slack app, as JSON: paste it at https://api.slack.com/apps,
                  "Create New App", "From a manifest"

  --again         replace what stands there; what isn't asked for, such as api_url, stays
  --name NAME     what the app and its bot are called there, at most 35 characters; default Cortex
`;

const actions = ["list", "check", "add", "slack"];

export const command: Command = {
  help,
  run: async (args) => {
    const options = { json: { type: "boolean" }, again: { type: "boolean" }, name: { type: "string" } } as const;
    const { values, positionals } = parseCommandLine(args, options, "cortex channels", 2);
    const [action = "list", name] = positionals;
    const { journalPath: journal } = readEnvironment();
    const isJson = values.json ?? false;
    switch (action) {
      case "list": {
        if (name !== undefined) throw usageError(`unexpected "${name}"`, "see: cortex channels --help");
        return (await import("../../channels/list.ts")).listChannels(journal, isJson);
      }
      case "check": {
        if (name !== undefined && !isOneOf(AdapterType.options, name))
          throw unknownName("channel", name, AdapterType.options, "cortex channels check");
        return (await import("../../channels/check.ts")).checkChannels(journal, name, isJson);
      }
      case "add": {
        const types = Object.keys(setups) as (keyof typeof setups)[];
        if (!isOneOf(types, name)) throw unknownName("channel", name, types, "cortex channels add");
        const setup = await setups[name]();
        const adding = { journal, type: name, setup, isAgain: values.again ?? false, isJson };
        return (await import("../../channels/add.ts")).addChannel(adding);
      }
      case "slack": {
        if (name !== "manifest") throw unknownName("action", name, ["manifest"], "cortex channels slack");
        return (await import("../../channels/slack-manifest.ts")).printSlackManifest(values.name);
      }
      default:
        throw unknownName("action", action, actions, "cortex channels");
    }
  },
};

const isOneOf = <Name extends string>(names: readonly Name[], name: string | undefined): name is Name =>
  (names as readonly (string | undefined)[]).includes(name);
