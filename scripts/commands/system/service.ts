/** `cortex service`: has `cortex up` started with the system, by systemd or launchd. */
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { messageOf } from "../../../files/errors/error-message.ts";
import { hasCode } from "../../../files/errors/errno.ts";
import { JournalLock } from "../../../journal/access/lock.ts";
import { readEnvironment } from "../../../proc/programs/environment.ts";
import { findProgram } from "../../../proc/os/find-program.ts";
import { exitCodes } from "../../../protocol/runs/exit-codes.ts";
import { columns } from "../../command/layout/columns.ts";
import { type Command, CommandError, parseCommandLine, unknownName, usageError } from "../../command/command.ts";
import { launchdOf } from "../../service/launchd.ts";
import { type Manager, type ManagerAnswer, outputOf } from "../../service/manager.ts";
import { type Service, serviceFrom } from "../../service/service-file.ts";
import { systemdOf } from "../../service/systemd.ts";
import { asTyped } from "../../command/typed-command.ts";

const help = `
Usage: cortex service install [--dry-run] [--json]
       cortex service uninstall [--json]
       cortex service status [--json]

Starts cortex up with the system, for the journal of JOURNAL_PATH, and keeps it running: as a user unit of systemd, or an
agent of launchd. Safe to repeat. Keys belong in a file of yours, which install names; it is never copied.

  install     write the unit, enable and start it
  uninstall   stop it and remove the unit; the journal stays as it is
  status      whether it is installed, enabled, active
  --dry-run   print the unit, and do nothing
`;

const options = { json: { type: "boolean" }, "dry-run": { type: "boolean" } } as const;

type ServiceOutcome = { lines: string[]; document: Record<string, unknown>; code: number };

export const command: Command = {
  help,
  run: async (args) => {
    const { values, positionals } = parseCommandLine(args, options, "cortex service");
    const [name = "", ...more] = positionals;
    const actions: Record<string, (manager: Manager, service: Service, journal: string) => Promise<ServiceOutcome>> = {
      install,
      uninstall,
      status,
    };
    const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
    if (!action || more.length > 0)
      throw unknownName("action", positionals.join(" "), Object.keys(actions), "cortex service");
    const { journalPath } = readEnvironment();
    const service = serviceFrom(process.env, journalPath);
    const manager = managerOf(service);
    if (values["dry-run"]) {
      if (name !== "install") throw usageError("--dry-run is for install", "see: cortex service --help");
      const { file, text } = manager;
      process.stdout.write(values.json ? `${JSON.stringify({ ok: true, file, text })}\n` : text);
      return exitCodes.done;
    }
    const { lines, document, code } = await action(manager, service, journalPath);
    process.stdout.write(values.json ? `${JSON.stringify(document)}\n` : `${lines.join("\n")}\n`);
    return code;
  },
};

function managerOf(service: Service): Manager {
  if (process.platform === "darwin") return launchdOf(process.env, service);
  if (findProgram("systemctl")) return systemdOf(process.env, service);
  throw new CommandError(
    "no_service_manager",
    "this system has neither systemd nor launchd: there is no systemctl on the PATH",
    `have another service manager run it: ${service.command.join(" ")}; or use compose.yaml`,
    exitCodes.failed,
  );
}

async function install(manager: Manager, service: Service, journal: string): Promise<ServiceOutcome> {
  const { file, text, takeUp } = manager;
  const did: string[] = [];
  const isChanged = textOf(file) !== text;
  if (isChanged) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    did.push(`wrote ${file}`);
  }
  const before = await answerOf(manager);
  const isElsewhere = !before.answer?.isActive && isLocked(journal);
  const isRunning = before.answer?.isActive ?? false;
  const run = [...takeUp.load, ...(isRunning || isElsewhere ? [] : [takeUp.start])];
  const next: string[] = [];
  if (before.answer) did.push(...(await runAll(run)));
  else next.push(...run.map(shown));
  if (isElsewhere)
    next.push(`${shown(takeUp.start)}   # after you have stopped the cortex up that runs on this journal`);
  if (isRunning && isChanged) next.push(`${shown(takeUp.restart)}   # it runs with the former unit`);
  next.push(...(await manager.advice()));
  const keys = keysLines(service.keysFile);
  const lines = [
    ...(isChanged ? [] : [`${file} is as it should be`]),
    ...did,
    ...(before.problem ? [`not started: ${before.problem}`, `  ${manager.remedy}`] : []),
    ...keys,
    ...(next.length > 0 ? ["next:", ...next.map((line) => `  ${line}`)] : []),
  ];
  return { lines, document: { ok: true, file, did, next, problem: before.problem }, code: exitCodes.done };
}

async function uninstall(manager: Manager): Promise<ServiceOutcome> {
  const { file, takeDown } = manager;
  if (textOf(file) === null) {
    const lines = [`${file} is not there: nothing to do`];
    return { lines, document: { ok: true, file, did: [], next: [], problem: null }, code: exitCodes.done };
  }
  const { answer, problem } = await answerOf(manager);
  const isLoaded = answer !== null && (answer.isActive || answer.isEnabled);
  const did = isLoaded ? await runAll(takeDown.stop) : [];
  rmSync(file, { force: true });
  did.push(`removed ${file}`);
  if (answer) did.push(...(await runAll(takeDown.forget)));
  const next = answer ? [] : [...takeDown.stop, ...takeDown.forget].map(shown);
  const lines = [
    ...did,
    ...(problem ? [`not stopped, if it runs: ${problem}`, "next:", ...next.map((line) => `  ${line}`)] : []),
  ];
  return { lines, document: { ok: true, file, did, next, problem }, code: exitCodes.done };
}

async function status(manager: Manager): Promise<ServiceOutcome> {
  const { name, file, text } = manager;
  const found = textOf(file);
  const { answer, problem } = await answerOf(manager);
  const isInstalled = found !== null;
  const isEnabled = answer?.isEnabled ?? manager.isEnabledByFiles();
  const rows = [
    ["manager", name],
    ["installed", isInstalled ? file : asTyped("no: cortex service install")],
    ...(isInstalled && found !== text
      ? [["", asTyped("not what install would write now: cortex service install")]]
      : []),
    ["enabled", isEnabled ? "yes" : "no"],
    ["active", answer ? `${answer.state}${answer.pid === null ? "" : `, pid ${answer.pid}`}` : "unknown"],
  ];
  const document = {
    manager: name,
    file,
    installed: isInstalled,
    current: found === text,
    enabled: isEnabled,
    active: answer?.isActive ?? null,
    state: answer?.state ?? null,
    pid: answer?.pid ?? null,
    problem,
    hint: problem ? manager.remedy : null,
  };
  const lines = [columns(rows), ...(problem ? [`error: ${problem}`, `  ${manager.remedy}`] : [])];
  return { lines, document, code: problem ? exitCodes.failed : exitCodes.done };
}

async function answerOf({ ask }: Manager): Promise<{ answer: ManagerAnswer | null; problem: string | null }> {
  try {
    return { answer: await ask(), problem: null };
  } catch (error) {
    return { answer: null, problem: messageOf(error) };
  }
}

/** @throws CommandError at the first that fails */
async function runAll(commands: string[][]): Promise<string[]> {
  for (const words of commands)
    await outputOf(words).catch((error: unknown) => {
      const message = messageOf(error);
      throw new CommandError("service", message, "see why: cortex service status; cortex logs", exitCodes.failed);
    });
  return commands.map(shown);
}

const shown = (words: string[]) => words.join(" ");

/** Describes the user's file with keys as far as that goes without reading it. */
function keysLines(path: string): string[] {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) return [`keys: NAME=value lines in ${path} (mode 0600), for example ANTHROPIC_API_KEY=…`];
  if ((stats.mode & 0o077) !== 0) return [`! others can read your keys: chmod 600 ${path}`];
  return [`keys: ${path}`];
}

/** Whether a cortex up that isn't the service holds the journal. */
function isLocked(journal: string): boolean {
  if (!statSync(journal, { throwIfNoEntry: false })) return false;
  const lock = JournalLock.acquire(journal);
  lock?.[Symbol.dispose]();
  return lock === null;
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  }
}
