/** Client of the workspace's API: its types are generated from the API's description, and every refusal is an error. */
import { randomUUID } from "node:crypto";
import createClient, { type Client, type Middleware } from "openapi-fetch";
import type { components, paths } from "./api-types.ts";

export type ApiRecord<Name extends keyof components["schemas"]> = components["schemas"][Name];

/** A refusal of the server, in its words. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string | undefined;

  constructor(status: number, problem: Partial<ApiRecord<"Problem">["error"]>) {
    super(problem.message ?? `the server answered with status ${status}`);
    this.name = "ApiError";
    this.status = status;
    this.code = problem.code ?? "internal";
    this.hint = problem.hint;
  }
}

/** The server can't be reached. */
export class UnreachableError extends Error {
  override name = "UnreachableError";
}

/** Where the API is, without `/api/v1`, and the token that it is asked with. */
export type ApiAddress = { url: string; token: string };

export type WorkspaceClient = Client<paths>;

export function openWorkspaceClient({ url, token }: ApiAddress): WorkspaceClient {
  const client = createClient<paths>({
    baseUrl: url,
    headers: { Authorization: `Bearer ${token}` },
    fetch: fetchTwice,
  });
  client.use(idempotent);
  return client;
}

/** A post that is sent again, since its answer got lost, is done once. */
const idempotent: Middleware = {
  onRequest({ request }) {
    if (request.method === "POST" && !request.headers.has("Idempotency-Key"))
      request.headers.set("Idempotency-Key", randomUUID());
    return request;
  },
};

/** A connection that breaks, as when the server starts again, is tried once more. */
async function fetchTwice(request: Request): Promise<Response> {
  const again = request.clone();
  try {
    return await fetch(request);
  } catch {
    try {
      return await fetch(again);
    } catch (error) {
      const { origin } = new URL(request.url);
      throw new UnreachableError(`nothing answers at ${origin}`, { cause: error });
    }
  }
}

type Answered<Data> = { data?: Data; error?: unknown; response: Response };

/** Reads the answer of the server. */
export async function answered<Data>(asked: Promise<Answered<Data>>): Promise<Exclude<Data, undefined>> {
  const { data, error, response } = await asked;
  if (!response.ok) throw new ApiError(response.status, (error as Partial<ApiRecord<"Problem">>)?.error ?? {});
  return data as Exclude<Data, undefined>;
}

type Listed<Item> = { items: Item[]; next: string | null };

/** All items of a list, page by page; at most so many. @throws ApiError, UnreachableError */
export async function allOf<Item>(
  page: (query: { limit: number; cursor?: string }) => Promise<Answered<Listed<Item>>>,
  most = 10_000,
): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | null = null;
  do {
    const limit = Math.min(pageSize, most - items.length);
    const listed: Listed<Item> = await answered(page({ limit, ...(cursor === null ? {} : { cursor }) }));
    items.push(...listed.items);
    cursor = listed.next;
  } while (cursor !== null && items.length < most);
  return items;
}

/** The most that the API gives. */
const pageSize = 200;
