/** Records of the memory and the skills as the API gives them. */
import { z } from "zod";
import { namePattern } from "../../../protocol/names/names.ts";

const Version = z
  .string()
  .regex(/^[0-9a-f]{16}$/)
  .meta({ description: "By its content: who changes it says which they have read." });
const Path = z.string().min(1).max(300).meta({ description: "Relative to the memory, such as people/anna.md." });

export const SkillName = z.string().regex(namePattern);

export const MemoryFiles = z.object({
  items: z.array(z.object({ path: z.string(), bytes: z.int(), summary: z.string().nullable() })),
  next: z.null(),
});

export const MemoryQuery = z.object({ path: Path });
export const MemoryFile = z.object({ path: z.string(), text: z.string(), version: Version });

export const MemoryChange = z.object({
  path: Path,
  text: z.string().max(1024 * 1024),
  version: Version.nullable().meta({ description: "Null: there was none. Another than it has is 409." }),
});

const source = z.enum(["journal", "package"]);

export const Skills = z.object({
  items: z.array(z.object({ name: z.string(), description: z.string(), source, for_models: z.boolean() })),
  next: z.null(),
  problems: z.array(z.object({ name: z.string(), error: z.string() })),
});

export const Skill = z.object({ name: z.string(), source, text: z.string(), version: Version });

export const SkillChange = z.object({
  text: z
    .string()
    .min(1)
    .max(128 * 1024),
  version: Version.nullable().meta({ description: "Null: there was none. Another than it has is 409." }),
});
