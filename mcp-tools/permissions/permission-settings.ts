/** The rules and the loop limit of the settings, as `cortex.json` has them at the moment of a call: one that was added holds from then on. */
import { statSync } from "node:fs";
import { readSettings, SettingsError, settingsPath, usableSettings } from "../../journal/config/settings.ts";
import { hasCode } from "../../files/errors/errno.ts";
import type { Settings } from "../../protocol/settings/settings.ts";

type OfPermissions = Pick<Settings, "permissions" | "loop_limit">;

export class PermissionSettings {
  readonly #journal: string;
  #read: { stamp: string; settings: OfPermissions } | null = null;

  constructor(journal: string) {
    this.#journal = journal;
  }

  /** @throws SettingsError when there are none that could be used, now or before: then nothing is known to be allowed */
  get current(): OfPermissions {
    const stamp = stampOf(settingsPath(this.#journal));
    if (this.#read?.stamp !== stamp) this.#read = { stamp, settings: this.#settings() };
    return this.#read.settings;
  }

  #settings(): OfPermissions {
    try {
      return readSettings(this.#journal);
    } catch (error) {
      if (error instanceof SettingsError) return this.#read?.settings ?? usableSettings(this.#journal).settings;
      throw error;
    }
  }
}

function stampOf(path: string): string {
  try {
    const { ino, mtimeNs, ctimeNs, size } = statSync(path, { bigint: true });
    return [ino, mtimeNs, ctimeNs, size].join(" ");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return "";
    throw error;
  }
}
