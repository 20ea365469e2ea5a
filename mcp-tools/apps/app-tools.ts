/** The exports of an app's module, as tools. */
import { basename, extname } from "node:path";
import type { JsonSchemaType, Tool as McpTool } from "@modelcontextprotocol/server";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/server/validators/ajv";
import { z } from "zod";
import { isRecord } from "../../protocol/json/json-object.ts";

/** The context that a tool is given beside its arguments. */
export type AppContext = {
  /** The path of the journal. */
  journal: string;
  /** Aborted when nobody waits for the answer any more. */
  signal: AbortSignal;
};

export type AppTool = {
  file: string;
  description: McpTool;
  /** @throws Error when the arguments aren't what the schema says, and whatever the app throws */
  run: (args: Record<string, unknown>, context: AppContext) => Promise<unknown>;
};

const toolName = /^[A-Za-z0-9_-]{1,64}$/;

/** A tool as it is exported. `input`: a JSON Schema, or a schema of zod. */
const Exported = z.looseObject({
  name: z.string().optional(),
  title: z.string().optional(),
  description: z.string().min(1, "expected what it is for, in words"),
  input: z.custom<object>((value) => typeof value === "object" && value !== null).optional(),
  readOnly: z.boolean().optional(),
  destructive: z.boolean().optional(),
  run: z.custom<(args: unknown, context: AppContext) => unknown>((value) => typeof value === "function"),
});

/**
 * The tools of a module: its default export is called as its file, others as they are exported, unless they say otherwise.
 * @throws Error when one of them can't be used, or there are none
 */
export function toolsOfModule(module: unknown, file: string): AppTool[] {
  const exports = Object.entries(isModule(module) ? module : {}).filter(([, value]) => looksLikeTool(value));
  if (exports.length === 0)
    throw new Error("it exports no tool: expected an object with description and run, as its default or by a name");
  return exports.map(([key, value]) => toolOf(file, key === "default" ? basename(file, extname(file)) : key, value));
}

/** Helpers may be exported, too. */
function looksLikeTool(value: unknown): boolean {
  return isRecord(value) && ("run" in value || "description" in value);
}

function isModule(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function toolOf(file: string, fallback: string, value: unknown): AppTool {
  const parsed = Exported.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Error(`${fallback}: ${issue?.path.join(".")}: ${issue?.message}`);
  }
  const { name = fallback, title, description, input, readOnly, destructive, run } = parsed.data;
  if (!toolName.test(name)) throw new Error(`"${name}" is not a name for a tool: expected ${toolName.source}`);
  const { schema, check } = readInput(name, input ?? { type: "object" });
  const annotations = {
    ...(readOnly !== undefined && { readOnlyHint: readOnly }),
    ...(destructive !== undefined && { destructiveHint: destructive }),
  };
  return {
    file,
    description: { name, ...(title !== undefined && { title }), description, inputSchema: schema, annotations },
    run: async (args, context) => run(await check(args), context),
  };
}

type ToolInput = { schema: McpTool["inputSchema"]; check: (args: unknown) => unknown };

function readInput(tool: string, input: object): ToolInput {
  if ("_zod" in input) return readZod(tool, input as z.ZodType);
  const schema = input as McpTool["inputSchema"];
  if (!("type" in input) || input.type !== "object")
    throw new Error(`${tool}: input: expected a schema of type "object"`);
  const validate = new AjvJsonSchemaValidator().getValidator(schema as JsonSchemaType);
  return {
    schema,
    check: (args) => {
      const result = validate(args);
      if (!result.valid) throw new Error(`wrong arguments: ${result.errorMessage}`);
      return args;
    },
  };
}

function readZod(tool: string, input: z.ZodType): ToolInput {
  const schema = z.toJSONSchema(input, { io: "input" });
  if (schema.type !== "object") throw new Error(`${tool}: input: expected z.object(…)`);
  return {
    schema: schema as McpTool["inputSchema"],
    check: async (args) => {
      // By the interface that all copies and versions of zod have in common.
      const result = await input["~standard"].validate(args);
      if (!result.issues) return result.value;
      const texts = result.issues.map(({ path = [], message }) => `${path.map(String).join(".")}: ${message}`);
      throw new Error(`wrong arguments: ${texts.join("; ")}`);
    },
  };
}
