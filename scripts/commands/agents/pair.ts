/** `cortex pair`: makes somebody on a channel an owner, once, with a code. */
import { readEnvironment } from "../../../proc/programs/environment.ts";
import { exitCodes } from "../../../protocol/runs/exit-codes.ts";
import { askAgentsOnce } from "../../command/agents-connection.ts";
import { type Command, parseCommandLine, usageError } from "../../command/command.ts";

const help = `
Usage: cortex pair [--json]
       cortex pair CODE [--json]

Without a code it prints one: the person who sends it within 10 minutes, on any channel, becomes an owner.
With the code that a channel has shown you (/pair there), you become an owner on that channel.
`;

export const command: Command = {
  help,
  run: async (args) => {
    const { values, positionals } = parseCommandLine(args, { json: { type: "boolean" } }, "cortex pair");
    const [code, ...more] = positionals;
    if (more.length > 0) throw usageError(`unexpected "${more.join(" ")}"`, "see: cortex pair --help");
    const result = await askAgentsOnce(readEnvironment(), "pair", code === undefined ? {} : { code });
    if (values.json) process.stdout.write(`${JSON.stringify(result)}\n`);
    else if (code === undefined) {
      process.stdout.write(`${String(result["code"])}\n`);
      process.stderr.write("send this on the channel within 10 minutes; whoever does is an owner\n");
    } else process.stdout.write(`${String(result["owner"])} is an owner now\n`);
    return exitCodes.done;
  },
};
