/** `cortex up`: brings the system up in the foreground, and takes it down again. */
import { JournalLock } from "../../journal/lock.ts";
import { makePrivateFolders } from "../../journal/paths.ts";
import { readSettings, SettingsError } from "../../journal/settings.ts";
import { readSupervised } from "../../journal/supervised.ts";
import { type Environment, readEnvironment } from "../../proc/environment.ts";
import { logOf } from "../../proc/log.ts";
import { exitCodes } from "../../protocol/exit-codes.ts";
import { System } from "../../supervisor/up.ts";
import { type Command, CommandError, parseCommandLine } from "../command.ts";
import { ensureNatsServer } from "../ensure-nats.ts";

const help = `
Usage: cortex up [--replace]

Starts the bus, the tool server and cortex on the journal of JOURNAL_PATH, and keeps them running in the foreground.
Ctrl-C takes nothing new, lets runs finish for stop_grace_seconds (30), and stops everything; what was stopped is taken
up at the next start. A second Ctrl-C doesn't wait.

  --replace   take over from the one that runs on this journal; its runs go on
`;

/** How long another supervisor may take to make way. */
const handOverMs = 20_000;

export const command: Command = {
  help,
  run: async (args) => {
    const { values } = parseCommandLine(args, { replace: { type: "boolean" } }, "cortex up");
    const env = readEnvironment();
    checkSettings(env.journalPath);
    makePrivateFolders(env.journalPath);
    const lock = await takeLock(env.journalPath, values.replace ?? false);
    const natsServer = env.natsUrl === undefined ? await ensureNatsServer() : null;
    const system = await start(env, natsServer, lock);
    const { nats_url, mcp_url } = system.endpoints;
    process.stdout.write(
      `cortex is up\n  journal  ${env.journalPath}\n  bus      ${nats_url}\n  tools    ${mcp_url}\n  pid      ${process.pid}\n`,
    );
    await untilTold(system);
    return exitCodes.done;
  },
};

function checkSettings(journal: string): void {
  try {
    for (const warning of readSettings(journal).warnings) process.stderr.write(`warning: ${warning}\n`);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    throw new CommandError("config", error.message, "mend it, then: cortex config check", exitCodes.usage, {
      cause: error,
    });
  }
}

async function takeLock(journal: string, replace: boolean): Promise<JournalLock> {
  let lock = JournalLock.take(journal);
  if (lock) return lock;
  const pid = readSupervised(journal)?.pid;
  if (!replace || pid === undefined) {
    const message = `another cortex up runs on ${journal}${pid === undefined ? "" : `, pid ${pid}`}`;
    throw new CommandError(
      "refused",
      message,
      "see what it does: cortex status; take over from it: cortex up --replace",
      exitCodes.refused,
    );
  }
  process.kill(pid, "SIGUSR2");
  for (const deadline = performance.now() + handOverMs; !lock; lock = JournalLock.take(journal)) {
    if (performance.now() > deadline)
      throw new CommandError(
        "refused",
        `pid ${pid} didn't make way within ${handOverMs / 1000} s`,
        `stop it: kill ${pid}`,
        exitCodes.refused,
      );
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return lock;
}

async function start(env: Environment, natsServer: string | null, lock: JournalLock): Promise<System> {
  try {
    return await System.start(env, natsServer, lock, logOf("supervisor"));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new CommandError("failed", message, "see what is wrong: cortex doctor", exitCodes.failed, { cause: error });
  }
}

/** Resolves when everything was stopped, or handed over. */
async function untilTold(system: System): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    let isStopping = false;
    const stop = () => {
      if (isStopping) return system.force();
      isStopping = true;
      process.stderr.write("stopping; once more: at once\n");
      system.stop().then(resolve, reject);
    };
    process.on("SIGINT", stop).on("SIGTERM", stop);
    process.once("SIGUSR2", () => void system.handOver().then(resolve, reject));
  });
}
