/** The settings that programs use: the former ones while those that stand there can't be used, which another check tells. */
import { usableSettings } from "../../journal/config/settings.ts";
import type { Settings } from "../../protocol/settings/settings.ts";

/** Reads them. Where there are none that could be used: those of a journal without settings. */
export function settingsInUse(journal: string): Settings {
  try {
    return usableSettings(journal).settings;
  } catch {
    return {};
  }
}
