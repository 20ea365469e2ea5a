/** Records of personas as the API gives them. */
import { z } from "zod";
import { AgentId, namePattern } from "../../../protocol/names/names.ts";
import { Time } from "../../../workspace/records/fields.ts";

const Fields = z.record(z.string(), z.unknown());
const Version = z.string().regex(/^[0-9a-f]{16}$/);
const longestText = 256 * 1024;

export const PersonaRow = z
  .object({
    name: z.string(),
    source: z.string().meta({ description: "`built-in`, `journal` or `app:<app>`." }),
    title: z.string().nullable(),
    description: z.string().nullable(),
    backend: z.string().nullable(),
    model: z.string().nullable(),
    schedule: z.string().nullable(),
    task: z.boolean().meta({ description: "May be sent off as a sub-agent." }),
    disabled: z.boolean(),
    problem: z.string().nullable().meta({ description: "Why it can't be used." }),
  })
  .meta({ id: "PersonaRow" });

export const Personas = z.object({ items: z.array(PersonaRow), next: z.null() });

export const Persona = z
  .object({
    name: z.string(),
    source: z.string(),
    version: Version.meta({ description: "By its content: who changes it says which they have read." }),
    instruction: z.string(),
    settings: Fields.nullable().meta({ description: "Null: they can't be read; `settings_text` has them." }),
    settings_text: z.string().nullable().meta({ description: "As they are written; null: it has none." }),
    can_be_changed: z.boolean().meta({ description: "False: it belongs to an app." }),
    problem: z.string().nullable(),
    warnings: z.array(z.string()),
    schema: Fields.meta({ description: "The JSON Schema of the settings." }),
  })
  .meta({ id: "Persona" });

const Instruction = z.string().min(1).max(longestText);

export const NewPersona = z.object({
  name: z.string().regex(namePattern),
  instruction: Instruction,
  settings: Fields.default({}),
});

export const PersonaChange = z.object({
  version: Version.meta({ description: "The one that was read: another is 409." }),
  instruction: Instruction.optional(),
  settings: Fields.optional().meta({ description: "All of them: what is left out is gone." }),
});

export const PersonaVersions = z.object({
  items: z.array(
    z.object({ version: Version, at: Time.nullable().meta({ description: "Null: as it is, never changed here." }) }),
  ),
  next: z.null(),
});

const VersionText = z.object({ version: Version, instruction: z.string(), settings_text: z.string() });

export const DiffQuery = z.object({
  from: Version,
  to: Version.optional().meta({ description: "Default: as it is now." }),
});

export const PersonaDiff = z.object({ from: VersionText, to: VersionText });

export const PersonaPrompt = z.object({
  instruction: z.string().meta({ description: "The system text of its runs." }),
  tools: z.array(z.string()).meta({ description: "The tools of its runs." }),
  companion: z.object({ owner: z.string(), stranger: z.string(), task: z.string() }).nullable().meta({
    description:
      "As a long-lived agent: what it is told as the owner's, as a stranger's and as a sub-agent. A changed persona is told when the program `agents` starts next. Null: the agents' service is away, or has no such persona.",
  }),
});

export const PersonaDraft = z.object({
  instruction: z.string().max(longestText),
  settings: Fields,
});

export const PersonaPreview = z.object({
  problem: z.string().nullable().meta({ description: "Why it couldn't be saved so." }),
  fields: z
    .array(z.object({ path: z.string(), message: z.string() }))
    .meta({ description: "The problems of settings, each with its path, `handoff.persona`." }),
  tools: z.array(z.string()).meta({ description: "The tools that its runs would have." }),
  unknown_tools: z.array(z.string()).meta({ description: "Names that nothing has now." }),
});

export const PersonaTry = z.object({
  prompt: z.string().min(1).max(100_000),
  facet: z.string().regex(namePattern).optional(),
  instruction: Instruction.optional().meta({ description: "Tried in place of its text, without being saved." }),
  settings: Fields.optional().meta({ description: "Tried before its own, as far as a request may set them." }),
});

export const StartedTry = z.object({ run: AgentId });
