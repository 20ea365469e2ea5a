/** The adapters of channels as programs: those that the settings want. They are started last, and nobody waits for them. */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { SettingsError, usableSettings } from "../../journal/config/settings.ts";
import { type AdapterType, adapterProgram, startedAdapters } from "../../protocol/agents/channel-settings.ts";
import { isRecord } from "../../protocol/json/json-object.ts";
import { type OwnProgram, ownProgram } from "./own-program.ts";
import type { Program } from "./program.ts";

const stopGraceMs = 5000;

/** @param needs what must be ready before */
export function channelPrograms(journal: string, env: NodeJS.ProcessEnv, needs: readonly string[]): Program[] {
  return startedAdapters(channelsOf(journal) ?? {}).map((type) =>
    ownProgram(journal, env, adapter(journal, env, type, needs)),
  );
}

function adapter(journal: string, env: NodeJS.ProcessEnv, type: AdapterType, needs: readonly string[]): OwnProgram {
  let last: unknown;
  return {
    name: adapterProgram(type),
    needs,
    module: "channels/main",
    args: [type],
    // Which settings it has, and what stands in the variables that they name. Broken ones change nothing.
    madeOf: () => {
      const settings = channelsOf(journal);
      if (settings === null) return last;
      const { [type]: own = {} } = settings;
      // A secret that comes after its settings, or is replaced, makes it another program.
      const secrets = namedBy(own, "_env").map((name) => env[name] ?? null);
      const files = namedBy(own, "_file").map((file) => stamp(journal, file));
      return (last = [own, secrets, files]);
    },
    stopGraceMs: () => stopGraceMs,
    isAside: true,
  };
}

/** The variables and files that its settings name, however deep: those of its secrets. */
const namedBy = (own: Record<string, unknown>, ending: "_env" | "_file"): string[] =>
  Object.entries(own).flatMap(([name, value]) => {
    if (isRecord(value)) return namedBy(value, ending);
    return name.endsWith(ending) && typeof value === "string" ? [value] : [];
  });

/** An empty file is being written: as good as none, or the adapter would be started once for it and again for its content. */
function stamp(journal: string, file: string): string | null {
  const stats = statSync(resolve(journal, file), { throwIfNoEntry: false });
  return stats && stats.size > 0 ? `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.mode}` : null;
}

/** Null: they can't be read. */
function channelsOf(journal: string) {
  try {
    return usableSettings(journal).settings.channels ?? {};
  } catch (error) {
    if (error instanceof SettingsError) return null;
    throw error;
  }
}
