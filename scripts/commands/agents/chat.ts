/** `cortex chat`: talk with a long-lived agent. It is the adapter of the channel `cli`. */
import { text as readAll } from "node:stream/consumers";
import { readEnvironment } from "../../../proc/programs/environment.ts";
import { connectAs } from "../../command/agents-connection.ts";
import { ChatLink } from "../../chat/link.ts";
import { type Command, parseCommandLine, usageError } from "../../command/command.ts";
import { guardTerminals } from "../../../proc/logging/terminal.ts";

const help = `
Usage: cortex chat [-p PERSONA] [--agent ID] [MESSAGE | -]

  cortex chat                       talk at the terminal
  cortex chat "what is due today?"  one exchange: its replies on stdout, its progress on stderr
  cat question.txt | cortex chat    the same

  -p, --persona NAME  another persona than main
  --agent ID          an agent by its id (cortex agents list)

At the terminal: Enter sends a message, also while the agent works; Esc stops its turn. Pasted text is one message.
  What was said while no terminal was open is shown when one opens, once, for a week; of more than 50 the newest.
  /new  /stop  /status  /usage  /model  /help, as in every channel, and /compact  /queue  /attach  /quit

One exchange ends when the agent and the tasks that it started for the message are done. An agent thinks without
speaking, so there may be no reply. The commands that every channel has are carried out there, too: cortex chat /status
Exit codes: 0 done, 1 the turn failed, 2 usage, 4 budget, 5 timeout, 69 nothing runs here, 130 stopped.
`;

export const command: Command = {
  help,
  run: async (args) => {
    const options = { persona: { type: "string", short: "p" }, agent: { type: "string" } } as const;
    const { values, positionals } = parseCommandLine(args, options, "cortex chat");
    if (positionals.length > 1)
      throw usageError(
        `one message was expected, got ${positionals.length}`,
        `put it in quotes: cortex chat "${positionals.join(" ")}"`,
      );
    const [given] = positionals;
    const isPiped = given === "-" || (given === undefined && !process.stdin.isTTY);
    const message = isPiped ? (await readAll(process.stdin)).trim() : given;
    if (message !== undefined && message.trim() === "")
      throw usageError("there is nothing to say", 'for example: cortex chat "Good morning"');
    if (message === undefined && !process.stdout.isTTY)
      throw usageError("stdout is not a terminal", 'send one message: cortex chat "Good morning"');
    // A conversation is drawn by itself, which moves the cursor.
    if (message !== undefined) guardTerminals();
    const env = readEnvironment();
    await using owner = await connectAs(env, "owner");
    await using channel = await connectAs(env, "channel-cli");
    using link = await ChatLink.open({ journal: env.journalPath, owner, channel, ...values });
    // Awaited: the connections close when this block is left.
    if (message === undefined) return await (await import("../../chat/terminal.ts")).talkAtTerminal(link);
    return await (await import("../../chat/exchange.ts")).exchange(link, message);
  },
};
