/** The part of the settings that declares backends of the user's own. */
import { z } from "zod";
import { variablePattern } from "../names/names.ts";
import { Network } from "../runs/request/network.ts";
import { ProgramSandbox } from "../runs/request/sandbox-mode.ts";

/** The hosts of a program of the user's, where it is in a sandbox. */
export const programNetwork = Network.optional().meta({
  description: "In a sandbox: the hosts that it may reach. Default: the settings' `network`.",
});

/** A backend that the user declares: any program that reads a line of JSON and writes events. */
export const DeclaredBackend = z.looseObject({
  command: z.array(z.string().min(1)).min(1).meta({
    description:
      "The program and its arguments. One that names a file of the journal, as `agent.py` or `agents/mine.js`, is that file.",
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
