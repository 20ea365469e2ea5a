/** `cortex up`: brings the system up in the foreground, and takes it down again. */
import { checkListening, OpenBusError } from "../../../bus/server/server-config.ts";
import { logFile } from "../../../journal/logs/program-logs.ts";
import { ProgramLog } from "../../../journal/logs/program-logs-writer.ts";
import { SettingsError, usableSettings } from "../../../journal/config/settings.ts";
import { makeOwn } from "../../../journal/backup/start-clean.ts";
import { readEnvironment } from "../../../proc/programs/environment.ts";
import { logOf } from "../../../proc/logging/log.ts";
import { ServiceManager } from "../../../proc/programs/sd-notify.ts";
import { exitCodes } from "../../../protocol/runs/exit-codes.ts";
import type { SupervisorEvent } from "../../../protocol/programs/supervisor-event.ts";
import { BusSettingsError, offerOf } from "../../../supervisor/programs/bus-listening.ts";
import { joinedEnvironment } from "../../../supervisor/join.ts";
import { System } from "../../../supervisor/up.ts";
import { type Command, CommandError, parseCommandLine } from "../../command/command.ts";
import { checkMoved, describeCopy } from "../../start/copied-journal.ts";
import { untilNobodyReads, upDetached } from "../../start/detached-up.ts";
import { ensureNatsServer } from "../../start/ensure-nats.ts";
import { joinHelp, joinOptions, readJoining } from "../../start/join-options.ts";
import { lockJournal } from "../../start/journal-lock.ts";
import { printEvent, printUp } from "../../start/print-up.ts";
import { untilStopped } from "../../start/until-stopped.ts";
import { startWaits, tellWaits } from "../../start/waits.ts";

const help = `
Usage: cortex up [--detach] [--replace] [--moved] [--join URL [OPTIONS]]

Starts the bus, the tool server, cortex, the schedule and the channels on the journal of JOURNAL_PATH, and keeps them
running in the foreground. Programs that a killed cortex up has left running are adopted as they are.
Ctrl-C starts no new run, lets runs finish for stop_grace_seconds (30), and stops everything; stopped runs are resumed
at the next start. A second Ctrl-C doesn't wait. SIGHUP reloads all settings.

A copy of a journal is recognized by its inodes. It starts clean, because the original does the work that it accepted:
runs in progress are ended, waiting messages dropped, and .state is put aside.

  --detach            return when everything is up, and leave it running: cortex down stops it
  --replace           take over from the cortex up that runs on this journal; its runs continue
  --moved             the folder was moved from another disk or machine and the original is gone: continue the work
                      that it had accepted
${joinHelp.trimEnd().slice(1)}
`;

/** Milliseconds that open ends may take, once everything was stopped. */
const leaveMs = 500;

export const command: Command = {
  help,
  run: async (args) => {
    const options = {
      replace: { type: "boolean" },
      moved: { type: "boolean" },
      detach: { type: "boolean" },
      ...joinOptions,
    } as const;
    const { values } = parseCommandLine(args, options, "cortex up", 0);
    const isReplacing = values.replace ?? false;
    const isMoved = values.moved ?? false;
    if (values.detach) return upDetached(readEnvironment().journalPath, args.filter(isNotDetach));
    const joining = await readJoining(values);
    const processEnv = joining ? joinedEnvironment(process.env, joining) : process.env;
    const env = readEnvironment(processEnv);
    checkSettings(env.journalPath);
    if (process.pid === 1) process.stderr.write(`warning: ${asInit}\n`);
    if (isMoved) checkMoved(env.journalPath);
    const { lock, copy } = await lockJournal(env.journalPath, isReplacing, isMoved);
    const natsServer = env.natsUrl === undefined ? await ensureNatsServer() : null;
    using file = new ProgramLog(logFile(env.journalPath, "supervisor"), "supervisor");
    const log = logOf("supervisor", file, true);
    const left = await makeOwn(env.journalPath, isMoved);
    for (const line of copy ? describeCopy(env.journalPath, copy, left, isMoved) : []) {
      process.stdout.write(`${line}\n`);
      log.warn({ event: "copied_journal", from: copy?.from }, line);
    }
    // Taken before anything is started: nobody else is to speak for this process.
    const manager = ServiceManager.fromEnvironment(process.env, (error) => log.warn({ err: error }, "systemd"));
    let isRead = true;
    untilNobodyReads(() => (isRead = false));
    const onEvent = (event: SupervisorEvent) => isRead && printEvent(event);
    const system = new System({ env, natsServer, isWorker: joining !== null, processEnv, lock, log, onEvent });
    const stopped = untilStopped(system, manager, env.journalPath);
    const up = async () => {
      using _waits = tellWaits(() => startWaits(system.programs));
      if (!(await system.start(isReplacing))) return;
      await printUp(system, env.journalPath);
      await manager.notifyReady(`up on ${env.journalPath}`);
    };
    using _watchdog = manager.startWatchdog(() => true); // that it is asked shows that all is well
    await Promise.race([stopped, up()]);
    await stopped;
    // A connection to the bus that was just being made when it was closed keeps its socket: that doesn't hold us.
    setTimeout(() => process.exit(), leaveMs).unref();
    return exitCodes.done;
  },
};

const isNotDetach = (argument: string) => argument !== "--detach";

const asInit =
  "cortex up is process 1 and no init: what ended runs leave behind stays as zombies. Start it below one (docker run --init, tini)";

function checkSettings(journal: string): void {
  try {
    const { settings, problem } = usableSettings(journal);
    if (problem)
      process.stderr.write(`warning: ${problem.message}\n  keeping the previous settings until it is fixed\n`);
    const offer = offerOf(journal, settings.bus);
    if (offer) checkListening(offer.listening);
  } catch (error) {
    if (!(error instanceof SettingsError || error instanceof BusSettingsError || error instanceof OpenBusError))
      throw error;
    throw new CommandError("config", error.message, "fix it, then: cortex config check", exitCodes.usage, {
      cause: error,
    });
  }
}
