/** The program that sends telemetry: there while the settings say to where. Nobody waits for it. */
import { SettingsError, usableSettings } from "../../journal/config/settings.ts";
import type { TelemetrySettings } from "../../protocol/settings/parts/telemetry-settings.ts";
import { ownProgram } from "./own-program.ts";
import type { Program } from "./program.ts";

const stopGraceMs = 5000;

/** @param needs what must be ready before */
export function telemetryProgram(journal: string, env: NodeJS.ProcessEnv, needs: readonly string[]): Program {
  let last: TelemetrySettings | null = null;
  // Broken settings change nothing.
  const settings = () => {
    const now = settingsOf(journal);
    return now === undefined ? last : (last = now);
  };
  return ownProgram(journal, env, {
    name: "telemetry",
    needs,
    module: "telemetry/main",
    isWanted: () => settings() !== null,
    madeOf: settings,
    stopGraceMs: () => stopGraceMs,
    isAside: true,
  });
}

/** Null: there are none; undefined: they can't be read. */
function settingsOf(journal: string): TelemetrySettings | null | undefined {
  try {
    return usableSettings(journal).settings.telemetry ?? null;
  } catch (error) {
    if (error instanceof SettingsError) return undefined;
    throw error;
  }
}
