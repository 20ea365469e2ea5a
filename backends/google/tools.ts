/** The tools as Google's API wants them declared, and their names there. Pure. */
import type { FunctionDeclaration } from "@google/genai/web";
import type { ToolDescription } from "../provider/provider.ts";
import { googleSchema } from "./schema.ts";

const maxNameLength = 128;

export type Tools = {
  declarations: FunctionDeclaration[];
  /** A tool's name at the API. Tools that aren't offered have one too: a conversation may hold calls of them. */
  nameOf: (tool: string) => string;
  /** The tool that the API means. */
  toolOf: (name: string) => string;
};

export function toolsOf(descriptions: readonly ToolDescription[]): Tools {
  const toolOf = new Map<string, string>();
  const nameOf = new Map<string, string>();
  for (const { name: tool } of descriptions) {
    const allowed = allowedName(tool);
    let name = allowed;
    for (let number = 2; toolOf.has(name); number++) name = `${allowed.slice(0, maxNameLength - 4)}_${number}`;
    toolOf.set(name, tool);
    nameOf.set(tool, name);
  }
  return {
    declarations: descriptions.map(({ name, description, schema }) => {
      const parametersJsonSchema = googleSchema(schema);
      return {
        name: nameOf.get(name) ?? name,
        // The API wants one that isn't empty.
        description: description.trim() === "" ? name : description,
        ...(parametersJsonSchema && { parametersJsonSchema }),
      };
    }),
    nameOf: (tool) => nameOf.get(tool) ?? allowedName(tool),
    toolOf: (name) => toolOf.get(name) ?? name,
  };
}

/** A letter or `_`, then letters, digits and `_ . : -`. From the SDK's `FunctionDeclaration`. */
function allowedName(tool: string): string {
  const name = tool.replaceAll(/[^\w.:-]/g, "_").slice(0, maxNameLength);
  return /^[a-z_]/i.test(name) ? name : `_${name}`.slice(0, maxNameLength);
}
