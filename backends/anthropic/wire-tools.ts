/** The tools as the API takes them. Pure. */
import type Anthropic from "@anthropic-ai/sdk";
import { isRecord } from "../../protocol/json/json-object.ts";
import type { ModelCall } from "../provider/provider.ts";
import { wireName } from "./wire-names.ts";

/**
 * A conversation with calls is refused where no tool is described: a run without tools may continue one that had some.
 * @param taken a name that the API has for a tool of its own
 */
export function toTools({ tools, messages }: ModelCall, taken?: string): Anthropic.Tool[] {
  const isOurs = ({ name }: { name: string }) => name !== taken;
  if (tools.some(isOurs))
    return tools.filter(isOurs).map(({ name, description, schema }) => ({
      name: wireName(name),
      description,
      input_schema: toInputSchema(schema),
    }));
  const names = new Set(messages.flatMap(({ calls = [] }) => calls.map(({ tool }) => wireName(tool))));
  return [...names].map(toFormerTool).filter(isOurs);
}

const toFormerTool = (name: string): Anthropic.Tool => ({
  name,
  description: "Used earlier; it can't be called any more.",
  input_schema: { type: "object" },
});

/** The tool that a name of the API's stands for. */
export function toolNamed(name: string, { tools }: ModelCall): string {
  return tools.find((tool) => wireName(tool.name) === name)?.name ?? name;
}

const choices = ["anyOf", "oneOf", "allOf"];

/**
 * The API wants an object, and refuses a choice at its top: the fields of all branches are offered then, and wanted where each
 * branch wants them. The tool's server still checks what it gets.
 */
function toInputSchema(schema: Record<string, unknown>): Anthropic.Tool.InputSchema {
  if (!choices.some((choice) => choice in schema)) return { ...schema, type: "object" };
  const rest = Object.fromEntries(Object.entries(schema).filter(([name]) => !choices.includes(name)));
  const branchesOf = (choice: string) => (Array.isArray(schema[choice]) ? schema[choice].filter(isRecord) : []);
  const options = ["anyOf", "oneOf"].map(branchesOf).filter(({ length }) => length > 0);
  const required = [
    ...[schema, ...branchesOf("allOf")].flatMap(requiredOf),
    ...options.flatMap(([first = {}, ...others]) =>
      requiredOf(first).filter((name) => others.every((branch) => requiredOf(branch).includes(name))),
    ),
  ];
  const properties = Object.assign({}, ...choices.flatMap(branchesOf).map(propertiesOf), propertiesOf(schema));
  return { ...rest, type: "object", properties, ...(required.length > 0 && { required: [...new Set(required)] }) };
}

const propertiesOf = ({ properties }: Record<string, unknown>) => (isRecord(properties) ? properties : {});

const requiredOf = ({ required }: Record<string, unknown>): string[] =>
  Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
