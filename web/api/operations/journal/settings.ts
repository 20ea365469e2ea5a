/** Operations on the settings. */
import { Settings } from "../../../../protocol/settings/settings.ts";
import { refusing } from "../../../journal/access/refusals.ts";
import { schemaOf } from "../../../journal/access/schema-of.ts";
import {
  SettingsChange,
  SettingsCheck,
  SettingsDocument,
  SettingsDraft,
  SettingsSchema,
} from "../../../journal/settings/settings-records.ts";
import { checkSettings, getSettings, putSettings } from "../../../journal/settings/settings.ts";
import { operation } from "../../table/operation.ts";

const forOwner = { subject: null, role: "owner", isOutside: true } as const;

export const settings = [
  operation({
    ...forOwner,
    id: "setting.get",
    method: "GET",
    path: "/settings",
    summary: "The settings, and what is wrong with them",
    answer: SettingsDocument,
    handle: ({ machine }) => refusing(() => getSettings(machine)),
  }),
  operation({
    ...forOwner,
    id: "setting.put",
    method: "PATCH",
    path: "/settings",
    summary: "Replace the settings that were read as a revision; what couldn't be used is refused",
    body: SettingsChange,
    maxBodyBytes: 1024 * 1024,
    answer: SettingsDocument,
    refusals: [409],
    handle: ({ machine }, { body }) => refusing(() => putSettings(machine, body)),
  }),
  operation({
    ...forOwner,
    id: "setting.check",
    method: "POST",
    path: "/settings/check",
    summary: "The problems of settings, before they are saved",
    body: SettingsDraft,
    maxBodyBytes: 1024 * 1024,
    answer: SettingsCheck,
    handle: ({ machine }, { body }) => refusing(() => checkSettings(machine, body)),
  }),
  operation({
    ...forOwner,
    id: "setting.schema",
    method: "GET",
    path: "/settings/schema",
    summary: "The schema of the settings",
    answer: SettingsSchema,
    handle: async () => ({ schema: schemaOf(Settings) }),
  }),
];
