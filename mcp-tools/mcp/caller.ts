/** The abilities that a client of the stateless protocol names in each of its requests. Pure. */
import { CLIENT_CAPABILITIES_META_KEY, type ServerContext } from "@modelcontextprotocol/server";
import { z } from "zod";

export const tasksExtension = "io.modelcontextprotocol/tasks";

export type CallerAbilities = {
  /** Whether a call may answer with a task. */
  knowsTasks: boolean;
  /** Whether its user can be asked by a form. */
  fillsForms: boolean;
};

const Declared = z.looseObject({
  elicitation: z.looseObject({ form: z.unknown().optional(), url: z.unknown().optional() }).optional(),
  extensions: z.record(z.string(), z.unknown()).optional(),
});

/** Reads the abilities of a request's client. In the older protocol none is known: each request stands alone. */
export function abilitiesOf({ envelope }: ServerContext["mcpReq"]): CallerAbilities {
  const declared = envelope && Object.entries(envelope).find(([key]) => key === CLIENT_CAPABILITIES_META_KEY)?.[1];
  const { elicitation, extensions = {} } = Declared.safeParse(declared).data ?? {};
  // Without a mode it is forms.
  const fillsForms = elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
  return { knowsTasks: Object.hasOwn(extensions, tasksExtension), fillsForms };
}
