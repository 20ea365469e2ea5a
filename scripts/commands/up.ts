/** `cortex up`: brings the system up in the foreground, and takes it down again. */
import { setTimeout as delay } from "node:timers/promises";
import { isatty } from "node:tty";
import { checkListening, OpenBusError } from "../../bus/server/server-config.ts";
import { isOriginalThere } from "../../journal/config/folder-mark.ts";
import { JournalLock } from "../../journal/access/lock.ts";
import { runtime, state } from "../../journal/config/paths.ts";
import { logFile } from "../../journal/logs/program-logs.ts";
import { ProgramLog } from "../../journal/logs/program-logs-writer.ts";
import { SettingsError, usableSettings } from "../../journal/config/settings.ts";
import { type Copy, makeOwn, setStateAside } from "../../journal/backup/start-clean.ts";
import { readSupervised, type ProgramStatus } from "../../journal/programs/supervised.ts";
import { readEnvironment } from "../../proc/programs/environment.ts";
import { isAlive } from "../../proc/os/identity.ts";
import { logOf } from "../../proc/logging/log.ts";
import { ServiceManager } from "../../proc/programs/sd-notify.ts";
import { adapterProgram } from "../../protocol/agents/channel-settings.ts";
import { exitCodes } from "../../protocol/runs/exit-codes.ts";
import type { SupervisorEvent } from "../../protocol/programs/supervisor-event.ts";
import { BusSettingsError, joinCommand, offerOf } from "../../supervisor/programs/bus-listening.ts";
import { joinedEnvironment } from "../../supervisor/join.ts";
import { System } from "../../supervisor/up.ts";
import { type Command, CommandError, parseCommandLine } from "../command/command.ts";
import { tellUp, untilNobodyReads, upDetached } from "../start/detached-up.ts";
import { ensureNatsServer } from "../start/ensure-nats.ts";
import { shellQuoted } from "../command/shell-quoted.ts";
import { joinHelp, joinOptions, readJoining } from "../start/join-options.ts";
import { asTyped } from "../command/typed-command.ts";
import { startWaits, stopWaits, tellWaits } from "../start/waits.ts";

const help = `
Usage: cortex up [--detach] [--replace] [--moved] [--join URL [OPTIONS]]

Starts the bus, the tool server, cortex, the schedule and the channels on the journal of JOURNAL_PATH, and keeps them
running in the foreground. What still runs of a cortex up that was killed is taken up as it is.
Ctrl-C takes nothing new, lets runs finish for stop_grace_seconds (30), and stops everything; what was stopped is taken
up at the next start. A second Ctrl-C doesn't wait. SIGHUP reads all settings again.

A copy of a journal is told from the journal by its inodes. It starts clean: what the original had accepted is done there
alone. Here its runs in progress are ended, waiting messages dropped, and .state is put aside.

  --detach            return when all is up, and leave it running: cortex down stops it
  --replace           take over from the one that runs on this journal; its runs go on
  --moved             the folder was moved from another disk or machine and the original is no more: go on with what that
                      had accepted
${joinHelp.trimEnd().slice(1)}
`;

/** How long another supervisor may take to make way. */
const handOverMs = 20_000;

const page = adapterProgram("web");
const pageWithinMs = 5000;

/** How long open ends may take, once everything was stopped. */
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
    const { lock, copy } = await takeLock(env.journalPath, isReplacing, isMoved);
    const natsServer = env.natsUrl === undefined ? await ensureNatsServer() : null;
    using file = new ProgramLog(logFile(env.journalPath, "supervisor"), "supervisor");
    const log = logOf("supervisor", file, true);
    const left = await makeOwn(env.journalPath, isMoved);
    for (const line of copy ? copyTold(env.journalPath, copy, left, isMoved) : []) {
      process.stdout.write(`${line}\n`);
      log.warn({ event: "copied_journal", from: copy?.from }, line);
    }
    // Taken before anything is started: nobody else is to speak for this process.
    const manager = ServiceManager.take(process.env, (error) => log.warn({ err: error }, "systemd"));
    let isRead = true;
    untilNobodyReads(() => (isRead = false));
    const onEvent = (event: SupervisorEvent) => isRead && print(event);
    const system = new System({ env, natsServer, isWorker: joining !== null, processEnv, lock, log, onEvent });
    const told = untilTold(system, manager, env.journalPath);
    const up = async () => {
      using _waits = tellWaits(() => startWaits(system.programs));
      if (!(await system.start(isReplacing))) return;
      await printUp(system, env.journalPath);
      await manager.notifyReady(`up on ${env.journalPath}`);
    };
    using _watchdog = manager.startWatchdog(() => true); // that it is asked shows that all is well
    await Promise.race([told, up()]);
    await told;
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

/** Who may start things on this journal: one alone. */
async function takeLock(
  journal: string,
  isReplacing: boolean,
  isMoved: boolean,
): Promise<{ lock: JournalLock; copy: Copy | null }> {
  let copy: Copy | null = null;
  const take = () => JournalLock.take(journal, () => (copy = setStateAside(journal, isMoved)));
  let lock = take();
  if (lock) return { lock, copy };
  const holder = readSupervised(journal)?.supervisor;
  // The record may be of one that was killed, and its pid another's by now.
  const pid = holder && isAlive(holder) ? holder.pid : null;
  if (!isReplacing || pid === null) {
    const message = `another cortex up runs on ${journal}${pid === null ? ", or on its store by another path" : `, pid ${pid}`}`;
    const hint = "see what it does: cortex status; take over from it: cortex up --replace";
    throw new CommandError("refused", message, hint, exitCodes.refused);
  }
  process.kill(pid, "SIGUSR2");
  for (const deadline = performance.now() + handOverMs; !lock; lock = take()) {
    if (performance.now() > deadline)
      throw new CommandError(
        "refused",
        `pid ${pid} didn't make way within ${handOverMs / 1000} s`,
        `stop it: kill ${pid}`,
        exitCodes.refused,
      );
    await delay(50);
  }
  return { lock, copy };
}

/** @throws CommandError when the folder was copied, and the original is where it was */
function checkMoved(journal: string): void {
  if (![state(journal), runtime(journal)].some((folder) => isOriginalThere(journal, folder))) return;
  const message = `--moved: ${journal} is a copy, and the journal that it was made of is still there`;
  const hint = "what that had accepted would be done twice: start it clean with cortex up, or remove the original";
  throw new CommandError("refused", message, hint, exitCodes.refused);
}

/** What is said of a copy that was made a journal of its own. */
function copyTold(
  journal: string,
  { from, aside }: Copy,
  { runs, messages }: Awaited<ReturnType<typeof makeOwn>>,
  isMoved: boolean,
): string[] {
  if (isMoved) return [`this journal was moved here from ${from}: it goes on with what had been accepted there`];
  const told = [
    `this journal is a copy of ${from}: it starts clean. What was accepted there is done there alone: ${runs} runs in progress are ended here, ${messages} waiting messages dropped`,
  ];
  if (aside !== null)
    told.push(
      `its .state (waiting requests, inboxes, how far schedules had come) is put aside: ${aside}`,
      `  was the folder moved, and the original is no more? Stop this, then: rm -r ${shellQuoted(state(journal))} && mv ${shellQuoted(aside)} ${shellQuoted(state(journal))} && cortex up --moved`,
    );
  return told;
}

/** What becomes of the programs, for whoever watches. */
function print({ event, program, pid, reason }: SupervisorEvent): void {
  const words: Partial<Record<SupervisorEvent["event"], string>> = {
    started: `${program} is started, pid ${pid}`,
    adopted: `${program} runs already, pid ${pid}`,
    backing_off: `${program} ${reason}; it is started again`,
    failed: asTyped(`${program} has failed: ${reason}; see: cortex logs ${program}`),
  };
  const text = words[event];
  if (text !== undefined) process.stdout.write(`${text}\n`);
}

/** Nobody waits for the page but whoever wants to know where it is, and that not for long. */
async function pageIsSettled(system: System): Promise<void> {
  const isComing = () =>
    system.programs.some(({ name, state }) => name === page && state !== "ready" && state !== "failed");
  for (const deadline = performance.now() + pageWithinMs; isComing() && performance.now() < deadline; await delay(20));
}

async function printUp(system: System, journal: string): Promise<void> {
  await pageIsSettled(system);
  const { nats_url, mcp_url, web_url } = await system.endpoints();
  const offer = system.isWorker ? null : offerOf(journal, usableSettings(journal).settings.bus);
  const rows = [
    ["journal", journal],
    ["bus", nats_url],
    ["tools", mcp_url ?? "-"],
    ...(web_url === undefined ? [] : [["web", web_url]]),
    ["pid", String(process.pid)],
    ...(offer ? [["join", joinCommand(offer)]] : []),
  ];
  const up = `cortex is up\n${rows.map(([name, value]) => `  ${name?.padEnd(8)} ${value}\n`).join("")}`;
  process.stdout.write(up);
  tellUp({ up, failed: system.programs.filter(({ state }) => state === "failed").map(whyFailed) });
}

const whyFailed = ({ name, reason }: ProgramStatus) =>
  asTyped(`${name} has failed: ${reason}; see: cortex logs ${name}`);

/** Resolves when everything was stopped, or handed over. */
async function untilTold(system: System, manager: ServiceManager, journal: string): Promise<void> {
  const terminal = [2, 1, 0].find((descriptor) => isatty(descriptor));
  // A terminal that is gone takes no more words; an error that nobody hears would end us before the programs.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  using waits = new DisposableStack();
  await new Promise<void>((resolve, reject) => {
    let isStopping = false;
    const stop = () => {
      if (isStopping) return system.force();
      isStopping = true;
      process.stderr.write("stopping; once more: at once\n");
      waits.use(tellWaits(() => stopWaits(journal, system.programs)));
      void manager.notifyStopping(system.stopsWithinMs);
      system.stop().then(resolve, reject);
    };
    process.on("SIGINT", stop).on("SIGTERM", stop);
    // A terminal that is closed says the same as somebody who wants the settings read again.
    // It says so several times: the system, the shell and npm each do.
    process.on("SIGHUP", () => {
      if (terminal === undefined || isatty(terminal)) return system.reread();
      if (!isStopping) stop();
    });
    process.once("SIGUSR2", () => {
      process.stderr.write("replaced: another cortex up takes over; programs and runs go on there\n");
      void system.handOver().then(resolve, reject);
    });
  });
}
