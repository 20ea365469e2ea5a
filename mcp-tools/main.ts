/** The program that serves the tools over MCP. It is ready when `.run/programs/mcp-tools.json` names its pid. */
import { once } from "node:events";
import { addressAs, readBusAccess } from "../journal/access/endpoints.ts";
import { makePrivateFolders } from "../journal/config/paths.ts";
import { portsToTry } from "../journal/programs/ports-to-try.ts";
import { ownLog } from "../journal/logs/program-logs.ts";
import { writeProgramRecord } from "../journal/programs/programs.ts";
import { openSearch } from "../journal/search/search.ts";
import { watchSearch } from "../journal/search/search-watch.ts";
import { commandsToken } from "../journal/access/tokens.ts";
import { readEnvironment } from "../proc/programs/environment.ts";
import { reloadOnSignal } from "../proc/programs/reload-signal.ts";
import { logOf } from "../proc/logging/log.ts";
import { exitCodes } from "../protocol/runs/exit-codes.ts";
import { Commands } from "./exec/commands.ts";
import { AskedRuns } from "./links/asked-runs.ts";
import { RunsLink } from "./links/runs-link.ts";
import { AgentsLink } from "./tool/agents-link.ts";
import { openHttpServer } from "./http/http-server.ts";
import { Toolbox } from "./catalog/toolbox.ts";
import { webSearchOf } from "./web/web-search.ts";

const programName = "mcp-tools";
const usualPort = 6270;

const { journalPath: journal, natsUrl, natsFiles, mcpPort, timeZone } = readEnvironment();
makePrivateFolders(journal);
const log = logOf(programName, ownLog(journal, programName));
const rereads = reloadOnSignal(log);

async function main(): Promise<void> {
  const stopped = Promise.race([once(process, "SIGTERM"), once(process, "SIGINT")]);
  await commandsToken(journal);
  // The files are read while the server already answers; searches wait for it.
  using search = openSearch(journal, {
    onProblem: (path, error) => log.warn({ path, err: error }, "not readable for search"),
  });
  await using _watch = watchSearch(journal, search, (error) => log.warn({ err: error }, "cannot watch the journal"));
  rereads.push({
    what: "search",
    reload: () => {
      search.changed("");
      search.refresh().catch((error: unknown) => log.warn({ err: error }, "the journal can't be read for search"));
    },
  });
  await using toolbox = new Toolbox(journal, process.env, log);
  rereads.push({ what: "external servers and apps", reload: () => toolbox.reread() });
  const busAs = (user: string) => () => {
    if (natsUrl !== undefined) return { url: natsUrl, ...natsFiles };
    const access = readBusAccess(journal);
    return access && addressAs(access, user);
  };
  await using agents = new AgentsLink(busAs(programName));
  await using runs = new RunsLink(journal, await AskedRuns.open(journal), (user) => busAs(user)());
  await using commands = new Commands(journal, log);
  const webSearch = webSearchOf(journal, process.env);
  const ports = await portsToTry(journal, {
    program: programName,
    asked: mcpPort,
    ofSettings: ({ mcp }) => mcp?.port,
    usual: usualPort,
    onProblem: (error) =>
      log.warn({ err: error }, "cortex.json can't be read: using the usual port (check it: cortex config check)"),
  });
  await using server = await openHttpServer(
    ports,
    { journal, search, timeZone, agents, runs, commands, webSearch },
    toolbox,
    log,
  );
  await writeProgramRecord(journal, programName, { pid: process.pid, url: server.url });
  log.info({ url: server.url, journal }, "ready");
  // Others' servers and apps take as long as they take: nobody waits for them.
  toolbox.follow().catch((error: unknown) => log.error({ err: error }, "external servers and apps can't be followed"));
  await stopped;
  runs.leave();
  log.info("stopping");
}

try {
  await main();
} catch (error) {
  log.fatal({ err: error }, "cannot serve the tools");
  process.exitCode = exitCodes.failed;
}
