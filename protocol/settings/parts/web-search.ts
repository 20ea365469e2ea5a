/** How the tool `web_search` searches where the model's provider doesn't: by a SearXNG, or by Brave Search. */
import { z } from "zod";

const address = (description: string) =>
  z
    .url({ protocol: /^https?$/, error: "expected an http or https address" })
    .optional()
    .meta({ description });

export const WebSearchSettings = z
  .strictObject({
    url: address(
      "A SearXNG, such as `http://127.0.0.1:8888`; it may be on this machine. Its settings need `json` among `search.formats`. It wins over Brave.",
    ),
    brave_key_file: z.string().min(1).optional().meta({
      description:
        "The key of Brave Search: a file that its owner alone can read; absolute, or relative to the journal.",
    }),
    brave_key_env: z.string().min(1).optional().meta({
      description: "The variable with that key, in the environment of `cortex up`. Default `BRAVE_API_KEY`.",
    }),
    brave_api_url: address("Where Brave's API is. Default `https://api.search.brave.com`."),
  })
  .meta({
    description:
      "The tool `web_search` where the provider of a run's model has no search of its own. Absent, and without `BRAVE_API_KEY`: it isn't offered there.",
    examples: [{ url: "http://127.0.0.1:8888" }],
  });
export type WebSearchSettings = z.infer<typeof WebSearchSettings>;
