/** The part of the settings that declares backends of the user's own. */
import { z } from "zod";
import { acpPreset } from "./acp-presets.ts";
import { variablePattern } from "../names/names.ts";
import { Network } from "../runs/request/network.ts";
import { ProgramSandbox } from "../runs/request/sandbox-mode.ts";

/** The hosts of a program of the user's, where it is in a sandbox. */
export const programNetwork = Network.optional().meta({
  description: "In a sandbox: the hosts that it may reach. Default: the settings' `network`.",
});

const command = z.array(z.string().min(1)).min(1);

/** A backend that the user declares: any program that reads a line of JSON and writes events, or an agent that speaks ACP. */
export const DeclaredBackend = z.looseObject({
  command: command.optional().meta({
    description:
      "The program and its arguments, which reads a line of JSON and writes events. One that names a file of the journal, as `agent.py` or `agents/mine.js`, is that file.",
  }),
  acp: command.optional().meta({
    description:
      "In the place of `command`: the program and its arguments of a coding agent that speaks the Agent Client Protocol on stdio. Absent as well: that of the preset of this name, such as `codex`.",
  }),
  model: z.string().min(1).optional().meta({
    description: "The model of its runs that name none. Default: `default_model`, else the agent's own.",
  }),
  env: z.record(z.string(), z.string()).optional().meta({ description: "Environment that its runs get." }),
  sandbox: ProgramSandbox.optional(),
  network: programNetwork,
  gateway: z.boolean().optional().meta({
    description:
      "Whether its runs reach the providers that have a key through the gateway, which holds the key and refuses calls beyond a limit. Default `true`.",
  }),
  request_env: z
    .array(
      z
        .string()
        .regex(variablePattern)
        .regex(/^(?!CORTEX_)/, "expected a name that isn't cortex's own"),
    )
    .max(256)
    .optional()
    .meta({
      description:
        "The names that a request's `env` may set, and no others. Absent: all but those that loaders, interpreters, shells and the like are known to read.",
    }),
});
export type DeclaredBackend = z.infer<typeof DeclaredBackend>;

/** Says what a declaration lacks, or has too much; null: nothing. A preset's own name says its program. */
export function declarationProblem(name: string, { command: own, acp }: DeclaredBackend): string | null {
  if (own !== undefined && acp !== undefined) return "expected one of command and acp, not both";
  return (own ?? acp ?? acpPreset(name)) ? null : "expected one of command and acp";
}
