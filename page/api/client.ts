/** Client of the API, typed from its own description. It asks this origin alone, by the session's cookie. */
import createClient, { type Middleware } from "openapi-fetch";
import type { components, paths } from "../../web/client/api-types.ts";
import { ApiError, problemOf, UnreachableError } from "./api-error.ts";
import { csrfToken, isSignedOut } from "./session.ts";

export type ApiRecord<Name extends keyof components["schemas"]> = components["schemas"][Name];

/** A change has the session's word; a post has a key, so that one that is sent again is done once. */
const marks: Middleware = {
  async onRequest({ request }) {
    if (request.method === "GET") return request;
    request.headers.set("X-CSRF-Token", await csrfToken());
    if (request.method === "POST" && !request.headers.has("Idempotency-Key"))
      request.headers.set("Idempotency-Key", crypto.randomUUID());
    return request;
  },
  onResponse({ response }) {
    if (response.status === 401) isSignedOut.value = true;
  },
};

export const client = createClient<paths>({ baseUrl: "", fetch: reachable });
client.use(marks);

async function reachable(request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch (error) {
    if (request.signal.aborted) throw error;
    throw new UnreachableError("Cortex doesn't answer", { cause: error });
  }
}

/** The parameters of an operation on one thing. */
export const byId = (id: string) => ({ params: { path: { id } } });

type Answered<Data> = { data?: Data; error?: unknown; response: Response };

/** Reads the answer of the server. */
export async function answered<Data>(asked: Promise<Answered<Data>>): Promise<Exclude<Data, undefined>> {
  const { data, error, response } = await asked;
  if (!response.ok) throw new ApiError(response.status, problemOf(error));
  return data as Exclude<Data, undefined>;
}
