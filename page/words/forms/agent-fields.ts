/** The settings of a team's agent as its form shows them: which come first, what they are called, and what is missing. Pure. */
import { at, type JsonSchema, type Values } from "./schema-fields.ts";
import { isRecord } from "../json/read-json.ts";

/** The field of its text, which stands beside the settings. */
export const textField = "system_prompt";

export const firstAgentSettings: readonly string[] = [
  "display_name",
  "slug",
  "description",
  "model",
  "max_tokens",
  "tools",
];

export const agentLabels: Readonly<Record<string, string>> = {
  name: "Name in files",
  display_name: "Name",
  slug: "Mentioned as @",
  description: "What it is for",
  avatar: "Address of its picture",
  capabilities: "Tags",
  model: "Model",
  backend: "Provider",
  max_tokens: "Longest answer",
  persona: "Follows the persona",
  tools: "Tools",
  sandbox: "Walls around commands",
  limits: "Limits of an answer",
  max_cost_usd: "Most it may cost",
  max_turns: "Most calls with tools",
  trust: "Trust",
  autonomous: "Used without asking",
  approve: "Used when a member allows it",
  escalate: "Used when an admin allows it",
};

const propertiesOf = (schema: JsonSchema): Values => (isRecord(schema["properties"]) ? schema["properties"] : {});

/** The schema of the settings alone. */
export function settingsSchema(schema: JsonSchema): JsonSchema {
  const { [textField]: _, ...properties } = propertiesOf(schema);
  return { ...schema, properties };
}

/** Why the server would not take them, as far as their names say: by the name of each field. */
export function problemsIn(settings: Values, schema: JsonSchema): Record<string, string> {
  const known = propertiesOf(schema);
  const required = Array.isArray(schema["required"]) ? schema["required"].map(String) : [];
  const missing = required.filter((name) => name !== textField && at(settings, name) === undefined);
  const unknown = Object.keys(settings).filter((name) => name === textField || !Object.hasOwn(known, name));
  return Object.fromEntries([
    ...missing.map((name) => [name, "This is needed"]),
    ...unknown.map((name) => [name, `There is no setting “${name}”`]),
  ]);
}

/** The value of a field where nothing is said. */
export function usualValue(schema: JsonSchema, name: string): unknown {
  const property = at(propertiesOf(schema), name);
  return isRecord(property) ? (property["default"] ?? null) : null;
}

/** The values that say something: none that are null, or empty. */
export function saidValues(values: Values): Values {
  const said = Object.entries(values).flatMap(([name, value]) => {
    const own = isRecord(value) ? saidValues(value) : value;
    const isEmpty = own === null || own === "" || (typeof own === "object" && Object.keys(own).length === 0);
    return isEmpty ? [] : [[name, own] as const];
  });
  return Object.fromEntries(said);
}
