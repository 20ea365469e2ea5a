/** The settings of a journal, `cortex.json`: read, checked, and followed while they change. */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { watch } from "chokidar";
import { messageOf } from "../../files/errors/error-message.ts";
import { hasCode } from "../../files/errors/errno.ts";
import { acpPresetNames } from "../../protocol/settings/acp-presets.ts";
import { builtInBackends } from "../../protocol/settings/backends.ts";
import { issueTexts } from "../../protocol/words/issues.ts";
import { isRecord } from "../../protocol/json/json-object.ts";
import { nearestName } from "../../protocol/words/nearest-name.ts";
import { Settings } from "../../protocol/settings/settings.ts";
import { parseJson } from "../../protocol/json/parse-json.ts";
import { unknownKeys } from "../../protocol/words/unknown-keys.ts";
import { keepSettings, keptSettings, writeSettingsProblem } from "./kept-settings.ts";

const maxBytes = 1024 * 1024;

/** Editors write a file in several steps: it is read again this long after the last. */
const settleMs = 50;

/** Where the settings stand. */
export const settingsPath = (journal: string) => join(journal, "cortex.json");

/** Settings that can't be used: each problem with its field, the value and what was expected. */
export class SettingsError extends Error {
  readonly path: string;
  readonly problems: string[];

  constructor(path: string, problems: string[], options?: ErrorOptions) {
    super(`${path}: ${problems.join("; ")}`, options);
    this.name = "SettingsError";
    this.path = path;
    this.problems = problems;
  }
}

/**
 * Reads the settings; without a file there are none. A key that nobody knows is a problem: a limit that is misspelt would
 * be none.
 * @throws SettingsError
 */
export function readSettings(journal: string): Settings {
  const text = readText(journal);
  return text === null ? {} : parsed(settingsPath(journal), text);
}

/** Whether a text could be used as `cortex.json`, before it is written. @throws SettingsError */
export function checkSettingsText(journal: string, text: string): Settings {
  if (Buffer.byteLength(text) > maxBytes)
    throw new SettingsError(settingsPath(journal), [`expected at most ${maxBytes} bytes`]);
  return parsed(settingsPath(journal), text);
}

/** Settings to go on with: those that stand there, else the last that could be used, with what is wrong. */
export type UsableSettings = { settings: Settings; problem: SettingsError | null };

/** @throws SettingsError when none could ever be used */
export function usableSettings(journal: string): UsableSettings {
  try {
    return { settings: readSettings(journal), problem: null };
  } catch (error) {
    const kept = error instanceof SettingsError ? keptSettings(journal) : null;
    if (!(error instanceof SettingsError) || kept === null) throw error;
    try {
      return { settings: parsed(settingsPath(journal), kept), problem: error };
    } catch {
      throw error; // kept by another version
    }
  }
}

export type SettingsWatch = {
  /** The last settings that could be read. */
  readonly current: Settings;
  /** Reads them now, whether or not a change was seen. */
  reload: () => void;
};

/**
 * Follows the settings until the signal. While the file is broken, the previous settings are kept, at the start the last
 * that could be used. Resolves when every later change will be seen.
 * @param onProblem the file can't be read or parsed, or the watch itself failed
 * @throws SettingsError when they are broken from the start, and none could ever be used
 */
export async function watchSettings(
  journal: string,
  handlers: {
    onChange?: (read: { settings: Settings }) => void;
    onProblem: (error: Error) => void;
    signal: AbortSignal;
  },
): Promise<SettingsWatch> {
  const path = settingsPath(journal);
  let timer: NodeJS.Timeout | undefined;
  let told = "";
  const tell = (problem: Error) => {
    if (problem.message === told) return;
    told = problem.message;
    writeSettingsProblem(journal, problem.message);
    handlers.onProblem(problem);
  };
  const reload = () => {
    clearTimeout(timer);
    try {
      const settings = readSettings(journal);
      told = "";
      keep(journal);
      if (JSON.stringify(settings) === JSON.stringify(state.current)) return;
      state.current = settings;
      handlers.onChange?.({ settings });
    } catch (error) {
      tell(error instanceof Error ? error : new Error(String(error)));
    }
  };
  const state = {
    current: usableSettings(journal).settings,
    reload: () => {
      told = ""; // who asks wants to hear of the problem again
      reload();
    },
  };
  const watcher = watch(journal, {
    ignoreInitial: true,
    depth: 0,
    ignored: (name) => name !== journal && name !== path,
  });
  watcher.on("all", () => {
    clearTimeout(timer);
    timer = setTimeout(reload, settleMs);
  });
  const close = () => {
    clearTimeout(timer);
    watcher.close().catch(handlers.onProblem);
  };
  handlers.signal.addEventListener("abort", close, { once: true });
  await new Promise<void>((done) => {
    watcher.once("ready", done);
    watcher.on("error", (error) => {
      handlers.onProblem(new Error(`changes of ${path} may not be seen`, { cause: error }));
      done();
    });
    handlers.signal.addEventListener("abort", () => done(), { once: true });
  });
  if (handlers.signal.aborted) close();
  // What changed between the first reading and the watch.
  else reload();
  return state;
}

function keep(journal: string): void {
  const text = readText(journal);
  keepSettings(journal, text ?? "{}");
}

/** Null: there is no file. */
function readText(journal: string): string | null {
  const path = settingsPath(journal);
  try {
    const stats = statSync(path);
    if (!stats.isFile()) throw new SettingsError(path, ["expected a file"]);
    if (stats.size > maxBytes) throw new SettingsError(path, [`expected at most ${maxBytes} bytes, got ${stats.size}`]);
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof SettingsError) throw error;
    if (hasCode(error, "ENOENT")) return null;
    throw new SettingsError(path, [`can't be read: ${messageOf(error)}`], {
      cause: error,
    });
  }
}

function parsed(path: string, text: string): Settings {
  const value = readJson(path, text);
  const parsed = Settings.safeParse(value);
  if (!parsed.success) throw new SettingsError(path, issueTexts(parsed.error, value));
  const problems = [...unknownKeys(Settings, described(value)), ...unknownBackends(parsed.data)];
  if (problems.length > 0) throw new SettingsError(path, problems);
  return parsed.data;
}

function readJson(path: string, text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    // Its message names line and column wherever the parser knows them, else what stands there.
    throw new SettingsError(path, [`not JSON: ${messageOf(error)}`], {
      cause: error,
    });
  }
}

/** Without the channels that an adapter of the user's own carries: what else stands there is that one's. */
function described(value: unknown): unknown {
  if (!isRecord(value) || !isRecord(value["channels"])) return value;
  const own = Object.entries(value["channels"]).filter(([, one]) => !isRecord(one) || one["external"] !== true);
  return { ...value, channels: Object.fromEntries(own) };
}

/** Where settings name a backend that there is none of. */
function unknownBackends({ default_backend, default_model = {}, backends = {} }: Settings): string[] {
  const known = [...new Set([...Object.keys(builtInBackends), ...Object.keys(backends), ...acpPresetNames])];
  const named = [
    ...(default_backend === undefined ? [] : [["default_backend", default_backend]]),
    ...Object.keys(default_model).map((name) => ["default_model", name]),
  ];
  return named.flatMap(([field = "", name = ""]) => {
    if (known.includes(name)) return [];
    const nearest = nearestName(name, known);
    const hint = nearest ? `: did you mean "${nearest}"?` : "";
    return [`${field}: there is no backend "${name}"${hint || `: known backends are ${known.join(", ")}`}`];
  });
}
