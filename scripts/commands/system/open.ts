/** `cortex open`: opens the page in a browser by a link that works once. */
import { runtime } from "../../../journal/config/paths.ts";
import { readEnvironment } from "../../../proc/programs/environment.ts";
import { answered } from "../../../web/client/workspace-client.ts";
import { type Command, parseCommandLine } from "../../command/command.ts";
import { openBrowser } from "../../start/open-browser.ts";
import { explained, openLink, printResult } from "../../workspace/lookup/workspace-link.ts";

const help = `
Usage: cortex open [--print] [--json]

Opens the page in your browser, by a link that lets one browser in, once, within ten minutes. After that
the browser stays let in: its address alone is enough. Where no browser can be opened, the link is printed.

  --print   print the link, and open nothing
  --json    print {"url", "public_url", "expires_at"}, and open nothing

Exit codes: 0 done, 2 usage, 3 refused, 69 nothing runs here.
`;

const options = { print: { type: "boolean" }, json: { type: "boolean" } } as const;

export const command: Command = {
  help,
  run: async (args) => {
    const { values } = parseCommandLine(args, options, "cortex open", 0);
    const env = readEnvironment();
    const { client } = openLink(env);
    const link = await explained(() => answered(client.POST("/api/v1/session-links", {})));
    const isAsked = values.print !== true && values.json !== true;
    const isOpened = isAsked && (await openBrowser(link.url, runtime(env.journalPath, "open.html"), process.env));
    const opened = `opened ${new URL(link.url).origin} in your browser; if it doesn't show: cortex open --print`;
    return printResult(values.json, link, () => (isOpened ? opened : link.url));
  },
};
