/** The settings of a journal, `cortex.json`: read, checked, and followed while they change. */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { watch } from "chokidar";
import { z } from "zod";
import { issueTexts } from "../protocol/issues.ts";
import { nearestName } from "../protocol/nearest-name.ts";
import { isRecord } from "../protocol/json-object.ts";
import { Settings } from "../protocol/settings.ts";
import { parseJson } from "../protocol/parse-json.ts";

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

export type ReadSettings = { settings: Settings; warnings: string[] };

/**
 * Reads the settings; without a file there are none. Unknown keys are kept, and warned about.
 * @throws SettingsError
 */
export function readSettings(journal: string): ReadSettings {
  const path = settingsPath(journal);
  const value = readJson(path);
  if (value === undefined) return { settings: {}, warnings: [] };
  const parsed = Settings.safeParse(value);
  if (!parsed.success) throw new SettingsError(path, issueTexts(parsed.error, value));
  return { settings: parsed.data, warnings: unknownKeys(Settings, value) };
}

export type SettingsWatch = {
  /** The last settings that could be read. */
  readonly current: Settings;
  /** Reads them now, whether or not a change was seen. */
  reload: () => void;
};

/**
 * Follows the settings until the signal. While the file is broken, the last good ones hold.
 * Resolves when every later change will be seen.
 * @param onProblem the file can't be read or parsed, or the watch itself failed
 * @throws SettingsError when they are broken from the start
 */
export async function watchSettings(
  journal: string,
  handlers: { onChange?: (read: ReadSettings) => void; onProblem: (error: Error) => void; signal: AbortSignal },
): Promise<SettingsWatch> {
  const path = settingsPath(journal);
  let timer: NodeJS.Timeout | undefined;
  let told = "";
  const reload = () => {
    clearTimeout(timer);
    try {
      const read = readSettings(journal);
      told = "";
      if (JSON.stringify(read.settings) === JSON.stringify(state.current)) return;
      state.current = read.settings;
      handlers.onChange?.(read);
    } catch (error) {
      const problem = error instanceof Error ? error : new Error(String(error));
      if (problem.message === told) return;
      told = problem.message;
      handlers.onProblem(problem);
    }
  };
  const state = {
    current: readSettings(journal).settings,
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

function readJson(path: string): unknown {
  let text: string;
  try {
    const stats = statSync(path);
    if (!stats.isFile()) throw new SettingsError(path, ["expected a file"]);
    if (stats.size > maxBytes) throw new SettingsError(path, [`expected at most ${maxBytes} bytes, got ${stats.size}`]);
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof SettingsError) throw error;
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw new SettingsError(path, [`can't be read: ${error instanceof Error ? error.message : String(error)}`], {
      cause: error,
    });
  }
  try {
    return parseJson(text);
  } catch (error) {
    // Its message names line and column wherever the parser knows them, else what stands there.
    throw new SettingsError(path, [`not JSON: ${error instanceof Error ? error.message : String(error)}`], {
      cause: error,
    });
  }
}

/** A warning for each key that a schema doesn't know, at any depth that it describes. */
function unknownKeys(schema: z.ZodType, value: unknown, path = ""): string[] {
  if (schema instanceof z.ZodOptional) return unknownKeys(schema.unwrap() as z.ZodType, value, path);
  if (!isRecord(value)) return [];
  if (schema instanceof z.ZodRecord) {
    const inner = schema.valueType as z.ZodType;
    return Object.entries(value).flatMap(([key, field]) => unknownKeys(inner, field, `${path}${key}.`));
  }
  if (!(schema instanceof z.ZodObject)) return [];
  const shape: Record<string, z.ZodType> = schema.shape;
  // An object of which nothing is described yet: any key may stand in it.
  if (Object.keys(shape).length === 0) return [];
  return Object.entries(value).flatMap(([key, field]) => {
    const known = Object.hasOwn(shape, key) ? shape[key] : undefined;
    return known
      ? unknownKeys(known, field, `${path}${key}.`)
      : [unknownKey(`${path}${key}`, nearestName(key, Object.keys(shape)))];
  });
}

function unknownKey(key: string, nearest: string | null): string {
  return `unknown key "${key}"${nearest ? `: did you mean "${nearest}"?` : ""}`;
}
