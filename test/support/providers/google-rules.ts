/** The refusals of the Gemini API, in its words as far as they are known. */
import { createHmac } from "node:crypto";
import type { PlayedRequest } from "./played.ts";
import { mediaProblem, usualImages } from "./played-media.ts";

type Json = Record<string, unknown>;
type Refusal = { status: number; name: string; message: string };

/** The same in every server of this kind: a conversation may be continued with another one. */
const secret = "the played server's own";

/** The value that the API takes in place of the signature of a call that isn't a model's of its own. */
const skipped = "skip_thought_signature_validator";

const fields = "contents systemInstruction tools toolConfig generationConfig safetySettings cachedContent".split(" ");
const generationFields = "temperature topP topK maxOutputTokens stopSequences candidateCount seed thinkingConfig".split(
  " ",
);
const thinkingFields = "includeThoughts thinkingBudget thinkingLevel".split(" ");
const partFields = "text thought thoughtSignature functionCall functionResponse inlineData toolCall toolResponse".split(
  " ",
);
const schemaFields =
  "type format title description enum properties required additionalProperties items minItems maxItems minimum maximum anyOf".split(
    " ",
  );
const typeNames = "string number integer boolean object array null".split(" ");
const namePattern = /^[a-zA-Z_][\w.:-]{0,127}$/;

/** A signature that is good for one kind of part, of one model, with these words. */
export function sealed(model: string, kind: "thought" | "text" | "call", words: string): string {
  return createHmac("sha256", secret).update(`${model}\0${kind}\0${words}`).digest("base64");
}

class Refused extends Error {}

const refuse = (message: string): never => {
  throw new Refused(message);
};

/** The refusal of a request, if it is refused. */
export function refusalOf({ method, path, headers, body }: PlayedRequest): Refusal | undefined {
  const isModels = method === "GET" && /^\/v1beta\/models(\?|$)/.test(path);
  const model = modelOf(path);
  if (!isModels && (method !== "POST" || model === undefined))
    return { status: 404, name: "NOT_FOUND", message: `${method} ${path} is not found` };
  if (!headers["x-goog-api-key"]) {
    const message =
      "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.";
    return { status: 403, name: "PERMISSION_DENIED", message };
  }
  if (isModels || model === undefined) return undefined;
  try {
    if (!headers["content-type"]?.startsWith("application/json")) refuse("Invalid content type");
    checkBody(objectOf(body, "the body"), model);
    return undefined;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { status: 400, name: "INVALID_ARGUMENT", message: error.message };
  }
}

/** The model that a request asks, if it asks one for a stream of events. */
export function modelOf(path: string): string | undefined {
  return /^\/v1beta\/models\/([\w.:-]+):streamGenerateContent\?alt=sse$/.exec(path)?.[1];
}

function checkBody(body: Json, model: string): void {
  checkFields(body, fields, "");
  const { systemInstruction, contents, tools, generationConfig } = body;
  if (systemInstruction !== undefined)
    for (const part of partsOf(systemInstruction, "system_instruction"))
      if (typeof part["text"] !== "string" || part["text"] === "")
        refuse("system_instruction.parts: must not be empty");
  checkGeneration(generationConfig);
  for (const tool of tools === undefined ? [] : listOf(tools, "tools")) checkTool(tool);
  checkSearch(body, model);
  checkContents(listOf(contents, "contents"), model);
}

/** Whether a request offers the API's own search, and whether it wants its calls among the parts. */
export function searchOf(body: unknown): { hasSearch: boolean; hasParts: boolean } {
  const { tools = [], toolConfig = {} } = objectOf(body, "the body");
  const hasSearch = listOf(tools, "tools").some((tool) => tool["googleSearch"] !== undefined);
  return { hasSearch, hasParts: objectOf(toolConfig, "tool_config")["includeServerSideToolInvocations"] === true };
}

/** Models of the second generation have no search beside functions. */
function checkSearch(body: Json, model: string): void {
  const { hasSearch, hasParts } = searchOf(body);
  const { tools = [], toolConfig = {}, contents } = body;
  checkFields(
    objectOf(toolConfig, "tool_config"),
    ["functionCallingConfig", "includeServerSideToolInvocations"],
    "tool_config",
  );
  const hasFunctions = listOf(tools, "tools").some((tool) => tool["functionDeclarations"] !== undefined);
  if (hasParts && /gemini-2/.test(model)) refuse(`Tool call context circulation is not enabled for models/${model}`);
  if (hasSearch && hasFunctions && !hasParts)
    refuse(
      "Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function calling.",
    );
  const mode = objectOf(objectOf(toolConfig, "tool_config")["functionCallingConfig"] ?? {}, "config")["mode"];
  if (hasParts && mode === "AUTO") refuse("function_calling_config.mode AUTO is not supported with built-in tools");
  const parts = listOf(contents, "contents").flatMap((content) => listOf(content["parts"] ?? [], "parts"));
  if (!hasParts && parts.some((part) => part["toolCall"] ?? part["toolResponse"]))
    refuse("Invalid value at 'contents.parts.tool_call'");
  for (const [at, part] of parts.entries()) {
    const call = part["toolCall"] as Json | undefined;
    const response = parts[at + 1]?.["toolResponse"] as Json | undefined;
    if (call && response?.["id"] !== call["id"]) refuse("A tool call has to be followed by its tool response.");
    if (call && response && part["thoughtSignature"] === undefined)
      refuse("Tool call is missing a thought_signature in toolCall parts.");
  }
}

function checkGeneration(given: unknown): void {
  if (given === undefined) return;
  const config = objectOf(given, "generation_config");
  checkFields(config, generationFields, "generation_config");
  if (config["thinkingConfig"] === undefined) return;
  const thinking = objectOf(config["thinkingConfig"], "generation_config.thinking_config");
  checkFields(thinking, thinkingFields, "generation_config.thinking_config");
  if (thinking["thinkingBudget"] === 0 && thinking["includeThoughts"] === true)
    refuse("Thinking_config.include_thoughts is only enabled when thinking is enabled.");
}

function checkContents(contents: Json[], model: string): void {
  if (contents.length === 0) refuse("* GenerateContentRequest.contents: contents is not specified");
  let before: Json | undefined;
  for (const [at, content] of contents.entries()) {
    const role = content["role"];
    if (role !== "user" && role !== "model") refuse("Please use a valid role: user, model.");
    if (role === (before ? before["role"] : "model"))
      refuse("Please ensure that multiturn requests alternate between user and model.");
    const parts = partsOf(content, `contents[${at}]`);
    for (const part of parts) checkPart(part, String(role), model);
    checkResults(before ? partsOf(before, "contents") : [], parts);
    before = content;
  }
  if (before?.["role"] !== "user")
    refuse("Please ensure that multiturn requests end with a user role or a function response.");
  checkSignatures(contents, model);
}

function checkPart(part: Json, role: string, model: string): void {
  checkFields(part, partFields, "contents.parts");
  const data = ["text", "functionCall", "functionResponse", "inlineData", "toolCall", "toolResponse"].filter(
    (name) => part[name] !== undefined,
  );
  if (data.length !== 1) refuse("contents.parts.data: required oneof field 'data' must have one initialized field");
  if (part["text"] === "" && part["thoughtSignature"] === undefined)
    refuse("Unable to submit request because it must have a text parameter that isn't empty.");
  if (part["inlineData"] !== undefined) {
    if (role !== "user") refuse("inline data of a model");
    checkInline(part["inlineData"]);
  }
  const call = part["functionCall"] ?? part["functionResponse"];
  if (call === undefined) return;
  if (role !== (part["functionCall"] ? "model" : "user")) refuse("a function part has the wrong role");
  const { name, args, response } = objectOf(call, "contents.parts");
  if (typeof name !== "string" || !namePattern.test(name)) refuse(`Invalid function name: ${String(name)}`);
  objectOf(part["functionCall"] ? (args ?? {}) : response, "the value of a Struct");
  const { parts: media } = call as Json;
  if (media !== undefined && /gemini-[12]\b/.test(model)) refuse("Multimodal function responses aren't supported");
  if (media !== undefined)
    for (const one of listOf(media, "function_response.parts")) {
      checkFields(one, ["inlineData"], "function_response.parts");
      checkInline(one["inlineData"]);
    }
  // A reference in a result is taken for one to a function.
  if (response && "$ref" in (response as Json)) refuse("The referenced name does not match to a display_name");
}

function checkInline(given: unknown): void {
  const blob = objectOf(given, "inline_data");
  checkFields(blob, ["mimeType", "data"], "inline_data");
  const types = [...usualImages.filter((type) => type !== "image/gif"), "application/pdf", "audio/wav", "audio/mpeg"];
  const problem = mediaProblem(blob["mimeType"], blob["data"], types, 20_000_000);
  if (problem !== null) refuse(`Unable to process input image: ${problem}`);
}

/** The results of a content's calls stand in the next one, each once. */
function checkResults(before: Json[], parts: Json[]): void {
  const calls = before.flatMap((part) => (part["functionCall"] ? [part["functionCall"] as Json] : []));
  const results = parts.flatMap((part) => (part["functionResponse"] ? [part["functionResponse"] as Json] : []));
  if (calls.length === 0 && results.length > 0)
    refuse("Please ensure that function response turn comes immediately after a function call turn.");
  if (calls.length !== results.length)
    refuse(
      "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
    );
  for (const [at, call] of calls.entries())
    if (call["name"] !== results[at]?.["name"] || call["id"] !== results[at]?.["id"])
      refuse(`The function response ${at} doesn't belong to the function call ${at}.`);
}

/** In the current turn, which begins with the last text of the user, the first call of each step has to be signed. */
function checkSignatures(contents: Json[], model: string): void {
  const turn = contents.findLastIndex(
    (content) => content["role"] === "user" && partsOf(content, "contents").some((part) => part["text"]),
  );
  for (const [at, content] of contents.entries()) {
    const parts = partsOf(content, "contents");
    const first = parts.find((part) => part["functionCall"]);
    if (content["role"] === "model" && at > turn && first && first["thoughtSignature"] === undefined) {
      const { name } = first["functionCall"] as Json;
      refuse(
        `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${String(name)}\` , position ${at + 1}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.`,
      );
    }
    for (const [place, part] of parts.entries())
      if (part["thoughtSignature"] !== undefined && !isGood(part, parts.slice(0, place), model))
        refuse("Corrupted thought signature.");
  }
}

function isGood(part: Json, before: Json[], model: string): boolean {
  const signature = part["thoughtSignature"];
  const call = part["functionCall"] as Json | undefined;
  const search = (part["toolCall"] ?? part["toolResponse"]) as Json | undefined;
  if (search) return signature === sealed(model, "call", String(search["id"]));
  if (call) return signature === skipped || signature === sealed(model, "call", String(call["name"]));
  const text = String(part["text"]);
  if (part["thought"]) return signature === sealed(model, "thought", text);
  const said = before.flatMap((each) => (typeof each["text"] === "string" && !each["thought"] ? [each["text"]] : []));
  // Two messages in a row are one content here: the signed text is the end of it.
  const whole = said.join("") + text;
  return Array.from(whole).some((_, at) => signature === sealed(model, "text", whole.slice(at)));
}

function checkTool(tool: Json): void {
  checkFields(tool, ["functionDeclarations", "googleSearch"], "tools");
  if (tool["googleSearch"] !== undefined) return checkFields(objectOf(tool["googleSearch"], "google_search"), [], "");
  const names = new Set<string>();
  for (const declaration of listOf(tool["functionDeclarations"], "function_declarations")) {
    checkFields(declaration, ["name", "description", "parametersJsonSchema"], "function_declarations");
    const { name, description, parametersJsonSchema: schema } = declaration;
    if (typeof name !== "string" || !namePattern.test(name)) return refuse(`Invalid function name: ${String(name)}`);
    if (names.has(name)) refuse(`Duplicate function declaration found: ${name}`);
    names.add(name);
    if (typeof description !== "string" || description === "") refuse(`${name}: description must not be empty`);
    if (schema === undefined) continue;
    const problems = schemaProblems(schema, name);
    if (objectOf(schema, name)["type"] !== "object")
      problems.push(`${name}: parameters schema should be of type OBJECT`);
    if (problems[0]) refuse(problems[0]);
  }
}

/** Lists the faults that the API would find in a schema, each with its place. */
export function schemaProblems(given: unknown, at = "parameters"): string[] {
  if (!isObject(given)) return [`${at}: not a schema`];
  const { type, properties, required, items, additionalProperties, anyOf, format } = given;
  const values = given["enum"];
  const problems = Object.keys(given)
    .filter((name) => !schemaFields.includes(name))
    .map((name) => `Invalid JSON payload received. Unknown name "${name}" at '${at}': Cannot find field.`);
  if (anyOf !== undefined) {
    if (Object.keys(given).length > 1) problems.push(`${at}: When using any_of, it must be the only field set.`);
    if (!Array.isArray(anyOf) || anyOf.length < 2) return [...problems, `${at}.any_of: too few`];
    return [...problems, ...anyOf.flatMap((branch, index) => schemaProblems(branch, `${at}.any_of[${index}]`))];
  }
  const types = [type].flat();
  const others = types.filter((name) => name !== "null");
  if (types.length === 0 || others.length > 1 || !types.every((name) => typeNames.includes(String(name))))
    problems.push(`${at}.type: ${JSON.stringify(type)}`);
  if (values !== undefined) {
    if (others[0] !== "string") problems.push(`${at}.enum: only allowed for STRING type`);
    if (
      !Array.isArray(values) ||
      values.length === 0 ||
      values.some((value) => typeof value !== "string" || value === "")
    )
      problems.push(`${at}.enum[0]: cannot be empty`);
  }
  if (
    format !== undefined &&
    !["date-time", "enum", "int32", "int64", "float", "double"].some((name) => name === format)
  )
    problems.push(`${at}.format: only 'enum' and 'date-time' are supported for STRING type`);
  if (others[0] === "array" && items === undefined) problems.push(`${at}.items: missing field.`);
  if (items !== undefined) problems.push(...schemaProblems(items, `${at}.items`));
  if (additionalProperties !== undefined) problems.push(...schemaProblems(additionalProperties, `${at}.additional`));
  const known = isObject(properties) ? properties : {};
  if (properties !== undefined && Object.keys(known).length === 0)
    problems.push(`${at}.properties: should be non-empty for OBJECT type`);
  for (const [name, property] of Object.entries(known)) problems.push(...schemaProblems(property, `${at}.${name}`));
  for (const name of required === undefined ? [] : (required as string[]))
    if (!Object.hasOwn(known, name)) problems.push(`${at}.required[0]: property is not defined: ${name}`);
  return problems;
}

function checkFields(value: Json, known: readonly string[], at: string): void {
  for (const name of Object.keys(value))
    if (!known.includes(name))
      refuse(`Invalid JSON payload received. Unknown name "${name}"${at && ` at '${at}'`}: Cannot find field.`);
}

function partsOf(content: unknown, at: string): Json[] {
  const parts = listOf(objectOf(content, at)["parts"], `${at}.parts`);
  return parts.length > 0 ? parts : refuse(`* GenerateContentRequest.${at}.parts: contents.parts must not be empty.`);
}

function listOf(value: unknown, at: string): Json[] {
  return Array.isArray(value) ? value.map((each) => objectOf(each, at)) : refuse(`${at}: not a list`);
}

function objectOf(value: unknown, at: string): Json {
  return isObject(value) ? value : refuse(`${at}: not an object`);
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
