/** Resources: the days, facets and runs of the journal as URIs to browse, attach and read. */
import { isUtf8 } from "node:buffer";
import {
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  type Server,
} from "@modelcontextprotocol/server";
import { UnknownFacetError } from "../../journal/notes/facets.ts";
import { ResourceError } from "../../journal/notes/resources.ts";
import { readRunLines, readWholeFile } from "../../journal/notes/whole-file.ts";
import { listPage } from "./resource-list.ts";
import { dayPage, facetPage } from "./resource-pages.ts";
import { mimeTypeOf, type ResourcePlace, placeOfUri, templates } from "./resource-uris.ts";
import { type Rights, rightsOf, type RequestContext } from "./request-context.ts";

type Content = ReadResourceResult["contents"][number];

export function serveResources(server: Server, { grant, context: { journal } }: RequestContext): void {
  const rights = rightsOf(grant);
  server.setRequestHandler("resources/list", async ({ params }) => {
    const page = await listPage(journal, rights, params?.cursor);
    if (!page)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, "unknown cursor: list from the start, without one");
    return page;
  });
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: Object.values(templates).filter(({ name }) => rights.runs || name !== "run"),
  }));
  server.setRequestHandler("resources/read", ({ params: { uri } }) => ({
    contents: [readUri(journal, rights, uri)],
  }));
}

/**
 * Reads the document that a URI points to.
 * @throws ResourceNotFoundError if there is no such thing, or the grant doesn't show it
 */
export function readUri(journal: string, rights: Rights, uri: string): Content {
  const place = placeOfUri(uri);
  if (!place || (place.kind === "run" && !rights.runs))
    throw missing(uri, `expected one of ${shownTemplates(rights).join(", ")}`);
  try {
    return { uri, ...contentOf(journal, place, uri) };
  } catch (error) {
    if (error instanceof ResourceError || error instanceof UnknownFacetError) throw missing(uri, error.message);
    throw error;
  }
}

type Body = { mimeType: string } & ({ text: string } | { blob: string });

function contentOf(journal: string, place: ResourcePlace, uri: string): Body {
  switch (place.kind) {
    case "day": {
      const text = dayPage(journal, place.day);
      if (text === null) throw missing(uri, `there is nothing of the day ${place.day}`);
      return { mimeType: "text/markdown", text };
    }
    case "facet":
      return { mimeType: "text/markdown", text: facetPage(journal, place.facet) };
    case "run": {
      const lines = readRunLines(journal, place.agentId);
      if (!lines) throw missing(uri, `there is no run ${place.agentId}`);
      return { mimeType: "application/jsonl", text: lines.toString("utf8") };
    }
    case "file": {
      const bytes = readWholeFile(journal, place.path);
      const type = mimeTypeOf(place.path);
      return isText(bytes)
        ? { mimeType: type ?? "text/plain", text: bytes.toString("utf8") }
        : { mimeType: type ?? "application/octet-stream", blob: bytes.toString("base64") };
    }
  }
}

const isText = (bytes: Buffer) => !bytes.includes(0) && isUtf8(bytes);

const shownTemplates = (rights: Rights) =>
  Object.values(templates)
    .filter(({ name }) => rights.runs || name !== "run")
    .map(({ uriTemplate }) => uriTemplate);

const missing = (uri: string, why: string) =>
  new ResourceNotFoundError(uri, `no resource "${uri.slice(0, 200)}": ${why}`);
