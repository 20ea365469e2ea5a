/** A whole `cortex up` with OpenAI's door, and a client of OpenAI's own package. */
import OpenAI from "openai";
import { readEndpoints } from "../../../journal/access/endpoints.ts";
import { AgentsSystem } from "../../agents/agents-system.ts";
import { fixtureAgent } from "../../support/cortex-system.ts";

export type DoorSystem = AsyncDisposable & { system: AgentsSystem; url: string; token: string; client: OpenAI };

export async function startDoor(): Promise<DoorSystem> {
  const system = await AgentsSystem.start(
    {
      default_backend: "anthropic",
      backends: { scripted: fixtureAgent("scripted") },
      channels: { web: { enabled: true } },
    },
    {
      "personas/player.txt": "Do what you are told.\n",
      "personas/player.json": JSON.stringify({ backend: "scripted" }),
      "personas/off.txt": "Nothing.\n",
      "personas/off.json": JSON.stringify({ disabled: true }),
    },
  );
  const url = await system.up.until(() => readEndpoints(system.up.path)?.web_url, "the page's address");
  const token = readEndpoints(system.up.path)?.web_token ?? "";
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: token, maxRetries: 0 });
  return { system, url, token, client, [Symbol.asyncDispose]: () => system[Symbol.asyncDispose]() };
}
