/** The abilities that a client of the stateless protocol names in each of its requests. Pure. */
import { CLIENT_CAPABILITIES_META_KEY, type ServerContext } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { CallerAbilities } from "../tool/tool.ts";

export const tasksExtension = "io.modelcontextprotocol/tasks";

const Declared = z.looseObject({
  elicitation: z.looseObject({ form: z.unknown().optional(), url: z.unknown().optional() }).optional(),
  extensions: z.record(z.string(), z.unknown()).optional(),
});

/** Reads the abilities of a request's client. In the older protocol none is known: each request stands alone. */
export function abilitiesOf(mcpReq: ServerContext["mcpReq"]): CallerAbilities {
  const { envelope, inputResponses: answers } = mcpReq;
  const declared = envelope && Object.entries(envelope).find(([key]) => key === CLIENT_CAPABILITIES_META_KEY)?.[1];
  const { elicitation, extensions = {} } = Declared.safeParse(declared).data ?? {};
  // Without a mode it is forms.
  const fillsForms = elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
  const state = mcpReq.requestState();
  const run = typeof state === "string" ? state : undefined;
  return { knowsTasks: Object.hasOwn(extensions, tasksExtension), fillsForms, answers, run };
}
