/** `cortex channels add`: asks for what a channel needs, has the service say whether that is right, and writes it down. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ChannelSetup, SetupQuestion } from "../../channels/adapter/setup.ts";
import { messageOf } from "../../files/errors/error-message.ts";
import { setChannel } from "../../journal/config/edit-settings.ts";
import { makePrivateFolders } from "../../journal/config/paths.ts";
import { readSettings, settingsPath } from "../../journal/config/settings.ts";
import { cleaned } from "../../proc/logging/terminal.ts";
import { ChannelSettings } from "../../protocol/agents/channel-settings.ts";
import { exitCodes } from "../../protocol/runs/exit-codes.ts";
import { isRecord } from "../../protocol/json/json-object.ts";
import { issueTexts } from "../../protocol/words/issues.ts";
import { CommandError, usageError } from "../command/command.ts";
import { Answers } from "./answers.ts";
import { checkWithinMs } from "./check.ts";
import { keptAside } from "./secret-files.ts";

export type Adding = {
  journal: string;
  type: string;
  setup: ChannelSetup;
  /** Whether what stands there may be replaced. */
  isAgain: boolean;
  isJson: boolean;
};

export async function addChannel({ journal, type, setup, isAgain, isJson }: Adding): Promise<number> {
  const former = readSettings(journal).channels?.[type] ?? {};
  if (!isAgain && isSetUp(former, setup.questions))
    throw usageError(
      `channels.${type} stands in cortex.json already`,
      `to set it up anew: cortex channels add ${type} --again`,
    );
  const say = (line: string) => process.stderr.write(`${cleaned(line)}\n`);
  for (const [index, step] of setup.before.entries()) say(`${index + 1}. ${step}`);
  const { settings, secrets } = await answersTo(setup.questions, unaskedOf(former, setup.questions));
  const checked = ChannelSettings.safeParse(settings);
  if (!checked.success)
    throw usageError(`channels.${type}: ${issueTexts(checked.error, settings).join("; ")}`, "answer again, with that");
  if (!isAgain) for (const name of Object.keys(secrets)) refuseFile(join(journal, name));
  try {
    // Who begins with a channel has no journal yet.
    makePrivateFolders(journal);
    // What stands there goes on to be used until the service has taken what is new.
    await using kept = await keptAside(journal, secrets);
    const signal = AbortSignal.timeout(checkWithinMs);
    const tried = ChannelSettings.parse(withSecretFiles(setup.questions, settings, kept.nameOf));
    const found = await setup.check({ journal, settings: tried, env: process.env, signal });
    const files = await kept.take();
    await setChannel(journal, type, settings);
    const next = ["cortex up starts it; while cortex is up: cortex up --replace", ...setup.after(checked.data)];
    if (isJson) process.stdout.write(`${JSON.stringify({ ok: true, type, found, settings, files, next })}\n`);
    else {
      process.stdout.write(`${type}: ${cleaned(found)}\n${settingsPath(journal)} is written\n`);
      for (const step of next) say(`next: ${step}`);
    }
    return exitCodes.done;
  } catch (error) {
    throw new CommandError(
      "refused",
      `${type}: ${messageOf(error)}`,
      "nothing was changed: try again",
      exitCodes.failed,
    );
  }
}

function refuseFile(path: string): void {
  if (existsSync(path)) throw usageError(`${path} is there already`, "move it away, or give --again");
}

/** The settings with other names for the files of secrets. */
function withSecretFiles(
  questions: readonly SetupQuestion[],
  settings: Record<string, unknown>,
  nameOf: (file: string) => string,
): Record<string, unknown> {
  const changed = structuredClone(settings);
  for (const { setting, secretFile } of questions)
    if (secretFile !== undefined) put(changed, setting, nameOf(secretFile));
  return changed;
}

/** Whether anything stands there that is asked for, or another program is the adapter. */
const isSetUp = (former: ChannelSettings, questions: readonly SetupQuestion[]) =>
  former.external === true ||
  questions.some(({ setting }) =>
    [setting, variableFor(setting)].some((one) => (one.split(".", 1)[0] ?? "") in former),
  );

/** The setting that names a variable with the secret instead of its file. */
const variableFor = (setting: string) => setting.replace(/_file$/, "_env");

/** Settings that stand there and aren't asked for, such as `api_url`. A channel that is added is on, by our own adapter. */
function unaskedOf(former: ChannelSettings, questions: readonly SetupQuestion[]): Record<string, unknown> {
  const { enabled: _enabled, external: _external, ...settings } = structuredClone(former);
  for (const { setting, secretFile } of questions) {
    remove(settings, setting);
    // A secret stands in a file from now on, and in no variable.
    if (secretFile !== undefined) remove(settings, variableFor(setting));
  }
  return settings;
}

/** @param settings what the answers are put into */
async function answersTo(questions: readonly SetupQuestion[], settings: Record<string, unknown>) {
  using answers = new Answers();
  const secrets: Record<string, string> = {};
  for (const { setting, ask, usual, secretFile, read = (answer: string): unknown => answer } of questions) {
    const question = usual ? `${ask} [${usual}]` : ask;
    const answer = (await answers.next(question, secretFile !== undefined)) || (usual ?? "");
    if (answer === "" && usual === undefined) throw usageError(`expected an answer to: ${ask}`, "try again");
    if (answer === "") continue;
    if (secretFile !== undefined) secrets[secretFile] = answer;
    put(settings, setting, secretFile ?? valueOf(ask, answer, read));
  }
  return { settings, secrets };
}

function valueOf(ask: string, answer: string, read: (answer: string) => unknown): unknown {
  try {
    return read(answer);
  } catch (error) {
    throw usageError(`${ask}: ${messageOf(error)}, got "${answer}"`, "try again");
  }
}

/** Puts a value where `imap.host` says. */
function put(settings: Record<string, unknown>, place: string, value: unknown): void {
  const [name = "", ...rest] = place.split(".");
  if (rest.length === 0) settings[name] = value;
  else {
    const within = isRecord(settings[name]) ? settings[name] : {};
    settings[name] = within;
    put(within, rest.join("."), value);
  }
}

/** Removes what `put` would put there. */
function remove(settings: Record<string, unknown>, place: string): void {
  const [name = "", ...rest] = place.split(".");
  const within = settings[name];
  if (rest.length === 0) delete settings[name];
  else if (isRecord(within)) remove(within, rest.join("."));
}
