/** Rules that say which tool calls of runs are made: in settings, and in personas. */
import { z } from "zod";
import { allTools, packs } from "./packs.ts";

/**
 * The form of a rule's `tool`, beside the name of a tool or pack: a tool of an external server or app, all of its
 * tools, or all tools that there are.
 */
const outsidePattern = /^(\*|apps|[a-z0-9][a-z0-9_-]{0,63}\.(\*|[A-Za-z0-9_.-]{1,128}))$/;

const isKnown = (name: string) => allTools.includes(name) || Object.hasOwn(packs, name) || outsidePattern.test(name);

export const PermissionRule = z.strictObject({
  tool: z
    .string()
    .max(256)
    .refine(isKnown, "expected the name of a tool or pack, server.tool, server.* or *")
    .meta({ description: "The calls that it decides: of a tool, a pack, `server.tool`, `server.*`, or `*` for all." }),
  match: z.string().min(1).max(1000).optional().meta({
    description:
      "Only of calls whose main argument (the first that the tool requires) is like this: `*` stands for any text, `?` for one character, `\\` takes either as it is. Of `bash` each command of a line is looked at by itself.",
  }),
  decide: z
    .enum(["allow", "ask", "deny"])
    .meta({ description: "The decision about the call; `ask`: it waits for a person." }),
});
export type PermissionRule = z.infer<typeof PermissionRule>;

export const PermissionRules = z
  .array(PermissionRule)
  .max(500)
  .meta({
    description: "Which tool calls are made: the first rule that fits decides, a persona's before the settings'.",
    examples: [
      [
        { tool: "write", match: "drafts/*", decide: "allow" },
        { tool: "files", decide: "deny" },
      ],
    ],
  });
