/** The refusals that OpenAI's two APIs share, in their words. */
import type { PlayedRequest } from "./played.ts";
import type { Refusal } from "./event-server.ts";

export type Json = Record<string, unknown>;

export class Refused extends Error {
  readonly refusal: Refusal;

  constructor(message: string, code: string | null = null, param: string | null = null, status = 400) {
    super(message);
    this.refusal = { status, message, body: openaiError(message, code, param) };
  }
}

export function openaiError(
  message: string,
  code: string | null = null,
  param: string | null = null,
  type = "invalid_request_error",
): Json {
  return { error: { message, type, param, code } };
}

export function refuse(message: string, code: string | null = null, param: string | null = null): never {
  throw new Refused(message, code, param);
}

/** The refusal that the check of a request ends with. */
export function refusalBy(check: (request: PlayedRequest) => void, request: PlayedRequest): Refusal | undefined {
  try {
    check(request);
    return undefined;
  } catch (error) {
    if (error instanceof Refused) return error.refusal;
    throw error;
  }
}

export function checkPath({ method, path }: PlayedRequest, basePath: string, post: string): "models" | "call" {
  if (method === "GET" && path.replace(/\?.*/, "") === `${basePath}/models`) return "models";
  if (method === "POST" && path === `${basePath}${post}`) return "call";
  throw new Refused(`Invalid URL (${method} ${path})`, null, null, 404);
}

export function checkKey({ headers }: PlayedRequest): void {
  if (!/^Bearer \S+$/.test(headers["authorization"] ?? ""))
    throw new Refused("You didn't provide an API key.", null, null, 401);
}

export function bodyOf({ headers, body }: PlayedRequest): Json {
  if (!headers["content-type"]?.startsWith("application/json")) refuse("expected the content type application/json");
  return isObject(body) ? body : refuse("We could not parse the JSON body of your request.");
}

export function checkFields(body: Json, known: readonly string[], where = ""): void {
  const unknown = Object.keys(body).find((name) => !known.includes(name));
  if (unknown) refuse(`Unknown parameter: '${where}${unknown}'.`, "unknown_parameter", `${where}${unknown}`);
}

export function checkModel({ model, stream }: Json): void {
  if (typeof model !== "string" || model === "") refuse("you must provide a model parameter");
  if (stream !== true) refuse("the played server only streams", null, "stream");
}

/** `fields`: those of a function, wherever an API keeps them. */
export function checkFunction(fields: Json, where: string): void {
  checkName(fields["name"], `${where}.name`);
  const { parameters } = fields;
  const what = `Invalid schema for function '${String(fields["name"])}'`;
  if (!isObject(parameters) || parameters["type"] !== "object")
    return refuse(`${what}: schema must be of type "object"`, "invalid_function_parameters", `${where}.parameters`);
  if (!isObject(parameters["properties"]))
    refuse(`${what}: In context=(), object schema missing properties.`, "invalid_function_parameters", where);
  for (const name of ["oneOf", "anyOf", "allOf", "enum", "not"])
    if (name in parameters)
      refuse(`${what}: schema must not have '${name}' at the top level.`, "invalid_function_parameters", where);
  checkArrays(parameters, what, where);
}

function checkArrays(schema: unknown, what: string, where: string): void {
  if (!isObject(schema)) return;
  if (schema["type"] === "array" && !("items" in schema))
    refuse(`${what}: array schema missing items.`, "invalid_function_parameters", where);
  for (const value of Object.values(schema)) checkArrays(value, what, where);
}

export function checkName(name: unknown, where: string): void {
  if (typeof name !== "string" || !/^[a-zA-Z0-9_-]+$/.test(name))
    refuse(`Invalid '${where}': string does not match pattern '^[a-zA-Z0-9_-]+$'.`, "invalid_value", where);
  if (String(name).length > 64) refuse(`Invalid '${where}': string too long.`, "string_above_max_length", where);
}

export function checkId(id: unknown, where: string): string {
  if (typeof id !== "string" || id === "") refuse(`Missing required parameter: '${where}'.`, null, where);
  if (String(id).length > 64)
    refuse(`Invalid '${where}': string too long. Expected at most 64.`, "string_above_max_length", where);
  return String(id);
}

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function listOf(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
