/** A model's address, its seller and the key, from the environment. */
import { missingKey } from "../../provider/http-failure.ts";
import type { Seller } from "../../provider/prices.ts";
import { ProviderError } from "../../provider/provider.ts";
import { shownUrl } from "../../../protocol/guards/shown-url.ts";

export type Endpoint = {
  /** The backend's name, in messages and as the mark of its reasoning. */
  backend: string;
  /** The variable that holds the key. */
  keyName: string;
  key: string | undefined;
  baseUrl: string;
  /** The seller whose prices count; null: nobody knows. */
  seller: Seller | null;
};

export const openaiBaseUrl = "https://api.openai.com/v1";

/**
 * OpenAI's endpoint, or the one that `OPENAI_BASE_URL` names: that one may need no key.
 * @throws ProviderError, reason `config`
 */
export function openaiEndpoint(environment: NodeJS.ProcessEnv): Endpoint {
  const url = readUrl("openai", "OPENAI_BASE_URL", environment["OPENAI_BASE_URL"] || openaiBaseUrl);
  const seller = sellerAt(url);
  const key = environment["OPENAI_API_KEY"] || undefined;
  if (key === undefined && seller === "openai") throw missingKey("openai", "OPENAI_API_KEY");
  return { backend: "openai", keyName: "OPENAI_API_KEY", key, baseUrl: url.href, seller };
}

/** @throws ProviderError, reason `config`: a missing scheme is the usual mistake */
export function readUrl(backend: string, variable: string, value: string): URL {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return url;
  throw new ProviderError(
    `${backend} can't be reached at ${variable} = ${JSON.stringify(shownUrl(value))}: expected a URL such as http://localhost:11434/v1`,
    { reason: "config" },
  );
}

/** OpenAI has a host for each region too. */
function sellerAt({ hostname }: URL): Seller | null {
  if (hostname === "api.openai.com" || hostname.endsWith(".api.openai.com")) return "openai";
  return hostname === "openrouter.ai" ? "openrouter" : null;
}
