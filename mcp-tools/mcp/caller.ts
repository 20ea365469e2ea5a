/** The abilities that a client names: in each request of the stateless protocol, once a session in the older one. Pure. */
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import type { CallerAbilities } from "../tool/tool.ts";

export const tasksExtension = "io.modelcontextprotocol/tasks";

const Declared = z.object({
  elicitation: z.looseObject({ form: z.unknown().optional(), url: z.unknown().optional() }).optional(),
  sampling: z.looseObject({}).optional(),
  roots: z.looseObject({}).optional(),
  extensions: z.record(z.string(), z.unknown()).optional(),
});

/**
 * Reads the abilities of a request's client.
 * @param ofSession what a client of the older protocol said at the beginning of its session; absent: it can be asked nothing
 */
export function abilitiesOf(
  { envelope, inputResponses }: ServerContext["mcpReq"],
  ofSession?: ClientCapabilities,
): Omit<CallerAbilities, "state"> {
  const ofRequest = envelope && Object.entries(envelope).find(([key]) => key === CLIENT_CAPABILITIES_META_KEY)?.[1];
  const declared: unknown = ofRequest ?? ofSession;
  const { extensions = {}, ...asks } = Declared.safeParse(declared).data ?? {};
  const { elicitation } = asks;
  // Without a mode it is forms.
  const hasForms = elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
  return {
    knowsTasks: ofRequest !== undefined && Object.hasOwn(extensions, tasksExtension),
    // In the older protocol the call would wait for the form, and miss what is decided elsewhere.
    fillsForms: ofRequest !== undefined && hasForms,
    asks: declared === undefined ? undefined : asks,
    answers: inputResponses,
  };
}
