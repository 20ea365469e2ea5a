/** Records of the settings as the API gives them. */
import { z } from "zod";

const Fields = z.record(z.string(), z.unknown());

const Revision = z
  .string()
  .regex(/^(?:none|[0-9a-f]{16})$/)
  .meta({ description: "By their content; `none`: there is no file." });

export const SettingsDocument = z.object({
  revision: Revision,
  settings: Fields.nullable().meta({ description: "As they stand in cortex.json; null: they can't be read." }),
  text: z.string().nullable().meta({ description: "The file; null: there is none." }),
  problems: z.array(z.string()).meta({ description: "Why they can't be used: the previous ones stay in force." }),
});

export const SettingsChange = z.object({
  revision: Revision.meta({ description: "The one that was read: another is 409." }),
  settings: Fields.meta({ description: "All of them: what is left out is gone." }),
});

export const SettingsDraft = z.object({ settings: Fields });

export const SettingsCheck = z.object({
  problems: z.array(
    z.object({
      path: z.string().meta({ description: "The field, `budgets.daily`; empty: of the whole." }),
      message: z.string(),
    }),
  ),
});

export const SettingsSchema = z.object({ schema: Fields.meta({ description: "The JSON Schema of cortex.json." }) });
