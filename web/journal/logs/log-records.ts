/** Records of the programs' logs as the API gives them. */
import { z } from "zod";
import { programNames } from "../../../journal/logs/program-logs.ts";

const Program = z.enum(programNames).optional().meta({ description: "Default: all of them." });
const levels = ["trace", "debug", "info", "warn", "error", "fatal"] as const;
const Level = z.enum(levels).optional().meta({ description: "This, and what is worse. Default: all." });

export const LogQuery = z.object({
  program: Program,
  level: Level,
  limit: z.coerce.number().int().min(1).max(2000).default(200),
});
export type LogQuery = z.infer<typeof LogQuery>;

export const LogLine = z
  .object({
    program: z.string(),
    time: z.number().meta({ description: "In ms." }),
    level: z.enum(levels).nullable().meta({ description: "Null: of a line that somebody else wrote." }),
    text: z.string(),
    fields: z.record(z.string(), z.unknown()).meta({ description: "The other fields of the line." }),
    cut: z.boolean().meta({ description: "Long texts were cut." }),
  })
  .meta({ id: "LogLine" });
export type LogLine = z.infer<typeof LogLine>;

export const LogLines = z.object({ items: z.array(LogLine), next: z.null() });
