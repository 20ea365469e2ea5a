/** The backends that come with cortex: the name, key, environment and seller of each. */

export type BuiltInBackend = {
  /** The variable whose presence makes it a candidate for the default backend. Absent: it needs no key. */
  key?: string;
  /** The variables that its runs' processes receive, and no other backend's. */
  environment: readonly string[];
  /** The seller of its models, as the price list (`@pydantic/genai-prices`) names it; null where nothing is sold. */
  seller: string | null;
  /** A cheap model of its seller's, good enough for summaries and titles. */
  cheap?: string;
  /** Its runs work in the folder of their facet, which they must name, instead of in an empty one. */
  worksInFacet?: true;
  /** Its program keeps conversations, and makes them smaller, in its own way. */
  hasOwnLoop?: true;
};

/** In the order in which a default is looked for: the first whose key is present. The last one needs none. */
export const builtInBackends = {
  anthropic: {
    key: "ANTHROPIC_API_KEY",
    environment: ["ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"],
    seller: "anthropic",
    cheap: "claude-haiku-4-5",
  },
  openai: {
    key: "OPENAI_API_KEY",
    environment: ["OPENAI_API_KEY", "OPENAI_BASE_URL"],
    seller: "openai",
    cheap: "gpt-5.6-luna",
  },
  google: {
    key: "GEMINI_API_KEY",
    environment: ["GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL"],
    seller: "google",
    cheap: "gemini-3.1-flash-lite",
  },
  openrouter: {
    key: "OPENROUTER_API_KEY",
    environment: ["OPENROUTER_API_KEY", "OPENROUTER_BASE_URL"],
    seller: "openrouter",
  },
  claude: {
    environment: ["ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"],
    seller: "anthropic",
    worksInFacet: true,
    hasOwnLoop: true,
  },
  offline: { environment: [], seller: null },
} as const satisfies Record<string, BuiltInBackend>;

export type BuiltInBackendName = keyof typeof builtInBackends;

/** Whether a name is that of a built-in backend. */
export function isBuiltInBackend(name: string): name is BuiltInBackendName {
  return Object.hasOwn(builtInBackends, name);
}

/** Whether a backend can be used with these keys, named by their variables: it needs none, or has its own. */
export function hasKey(backend: string, keys: readonly string[]): boolean {
  if (!isBuiltInBackend(backend)) return true;
  const needs = builtInBackends[backend];
  return !("key" in needs) || keys.includes(needs.key);
}
