/** What a tool is: a name, a schema of its arguments, and a function from the arguments to text for a model. */
import { z } from "zod";
import type { Search } from "../journal/search.ts";
import { issueTexts } from "../protocol/issues.ts";
import { dropNulls, isRecord } from "../protocol/request.ts";

/** What every tool may use. */
export type ToolContext = { journal: string; search: Search };

/** `text` is for the model; `structured` holds the same for a program. */
export type ToolResult = { text: string; structured?: Record<string, unknown>; isError?: boolean };

export type Tool = {
  name: string;
  description: string;
  inputSchema: { type: "object"; [keyword: string]: unknown };
  readOnly: boolean;
  /** Checks the arguments and runs the tool. Wrong arguments are an error result; what it throws is a defect. */
  call(args: unknown, context: ToolContext): Promise<ToolResult>;
};

/** What a tool can't do, with the reason: an error result that the model reads. */
export class ToolError extends Error {
  override name = "ToolError";
}

/** Makes a tool. The arguments are what the schema says, and nothing else. */
export function defineTool<Shape extends z.ZodRawShape>(definition: {
  name: string;
  description: string;
  input: Shape;
  readOnly: boolean;
  run: (args: z.infer<z.ZodObject<Shape>>, context: ToolContext) => Promise<ToolResult> | ToolResult;
}): Tool {
  const { name, description, readOnly, run } = definition;
  const schema = z.strictObject(definition.input);
  return {
    name,
    description,
    readOnly,
    inputSchema: { ...z.toJSONSchema(schema, { io: "input" }), type: "object" },
    async call(args, context) {
      // Models send null for an argument that they leave out.
      const given = args === undefined ? {} : isRecord(args) ? dropNulls(args) : args;
      const parsed = schema.safeParse(given);
      if (!parsed.success)
        return { isError: true, text: explain(name, Object.keys(definition.input), parsed.error, given) };
      try {
        return await run(parsed.data, context);
      } catch (error) {
        if (error instanceof ToolError) return { isError: true, text: `${name}: ${error.message}` };
        throw error;
      }
    },
  };
}

function explain(name: string, known: string[], error: z.ZodError, args: unknown): string {
  return `${name}: ${issueTexts(error, args).join("; ")}. Its arguments are ${known.join(", ")}.`;
}
