/** `cortex-request`, `cortex request`: asks an agent and waits for its answer. */
import type { Command } from "../../command/command.ts";

const help = `
Usage: cortex-request [OPTIONS] [PROMPT | -]

Asks an agent. Its answer goes to stdout, its progress to stderr, and so does what waits for your permission, with the
command that answers it. With - the prompt is read from stdin.

  -p, --persona NAME   the persona (default: default; see cortex persona list)
  -b, --backend NAME   anthropic, openai, google, openrouter, claude, offline, or one of cortex.json
  -m, --model NAME     the model
      --facet NAME     a facet of the journal, as context
      --folder DIR     work in this folder, which settings must allow ("folders" in cortex.json)
      --worktree       in a Git worktree of that folder: see what was changed with "cortex changes", then apply it
      --day YYYYMMDD   the day that it is about
      --save FILE      write the answer to <journal>/<day>/FILE
      --handoff PERSONA[:PROMPT]   hand the answer on to a persona, with a prompt for it
      --continue ID    continue the conversation of that run
      --tools NAMES    packs of tools, such as "journal, todo", or single tools of a server: tracker.search
      --no-tools       no tools
      --attach FILE    a file that goes with the prompt: an image, a PDF, text; may be given again
  -t, --timeout S      stop the run after so many seconds
      --set KEY=VALUE  any other field of a request; may be repeated
      --detach         print the run's id and exit
      --json           every event as a line of JSON on stdout
      --raw            the answer byte for byte, including control sequences, which a terminal obeys

Exit codes: 0 done, 1 the run failed, 2 usage or configuration, 3 refused, 4 budget, 5 timeout, 69 no bus or no cortex,
130 cancelled. Ctrl-C cancels the run.
`;

/** The command, whose code is imported when it is asked for: its help needs no bus. */
export const command: Command = {
  help,
  run: async (args) => (await import("../../runs/ask.ts")).ask(args),
};
