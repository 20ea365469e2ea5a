/** Changes of the settings: guarded by the revision that was read, and never to what couldn't be used. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  readSettingsFile,
  setSchedule,
  SettingsChangedError,
  writeSettings,
} from "../../../journal/config/edit-settings.ts";
import { SettingsError } from "../../../journal/config/settings.ts";

let journal: string;
beforeEach(() => {
  journal = mkdtempSync(join(tmpdir(), "settings-"));
});
afterEach(() => rmSync(journal, { recursive: true }));

const path = () => join(journal, "cortex.json");

test("settings are written by who has read them, and refused to who has read another revision", async () => {
  const none = readSettingsFile(journal);
  expect(none).toEqual({ text: null, revision: "none" });
  const first = await writeSettings(journal, none.revision, { default_backend: "offline" });
  expect(first).toEqual(readSettingsFile(journal));
  await setSchedule(journal, "daily-digest", true);
  await expect(writeSettings(journal, first.revision, {})).rejects.toThrow(SettingsChangedError);
  const { revision } = readSettingsFile(journal);
  await writeSettings(journal, revision, { max_concurrent: 2 });
  expect(JSON.parse(readFileSync(path(), "utf8"))).toEqual({ max_concurrent: 2 });
});

test.each([
  ["a key that nobody knows", { defautl_backend: "offline" }, "defautl_backend"],
  ["a backend that there is none of", { default_backend: "opnai" }, 'no backend "opnai"'],
  ["more than a megabyte", { labels: ["x".repeat(1024 * 1024)] }, "at most"],
])("settings with %s aren't written", async (_, settings, why) => {
  await expect(writeSettings(journal, "none", settings)).rejects.toThrow(why);
  await expect(writeSettings(journal, "none", settings)).rejects.toThrow(SettingsError);
  expect(existsSync(path())).toBe(false);
});
