/** Parts of the description of the web channel that each path is made of. Pure. */
import { z } from "zod";

const Problem = z.object({ error: z.string().meta({ description: "The problem, and what to do." }) });

const meanings: Record<number, string> = {
  400: "A field is wrong.",
  401: "No token, or another one.",
  403: "From a page of elsewhere.",
  404: "There is none.",
  409: "It was decided before.",
  413: "Too long.",
  429: "As much waits to be answered as may: try again after `Retry-After`.",
  503: "The bus doesn't answer: try again.",
};

/** The answers of a request that is refused. */
export const problems = (...statuses: number[]) =>
  Object.fromEntries(statuses.map((status) => [status, { description: meanings[status], content: json(Problem) }]));

/** A body of this schema. */
export const json = (schema: z.ZodType) => ({ "application/json": { schema: schemaOf(schema) } });

/** As it stands within a document: without what belongs to one of its own. */
function schemaOf(schema: z.ZodType): object {
  const { $schema: _, $id: __, id: ___, ...rest } = z.toJSONSchema(schema, { io: "input" }) as Record<string, unknown>;
  return rest;
}
