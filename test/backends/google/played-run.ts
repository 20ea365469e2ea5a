/** Runs of the `google` backend against a played server. */
import { google } from "../../../backends/google/provider.ts";
import type { EventBody } from "../../../protocol/runs/event.ts";
import { runScript, type TestRun, testRun } from "../../support/backends/agent-run.ts";
import type { PlayedServer } from "../../support/providers/played.ts";

export const key = "AIza-played-key-0123456789";

type Json = Record<string, unknown>;
export type Sent = Json & { contents: { role: string; parts: Json[] }[]; generationConfig: Json };

/** A run to its end. The events are those of `run.events`. */
export async function runGoogle(
  server: { url: string },
  config: Json = {},
  onEvent?: (event: EventBody) => void,
): Promise<TestRun> {
  const run = testRun(config, onEvent);
  run.environment = environmentOf(server);
  await runScript(run, google(run.environment));
  return run;
}

export const environmentOf = ({ url }: { url: string }) => ({ GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: url });

/** The bodies of the calls that were made. */
export function sentTo(server: PlayedServer): Sent[] {
  return server.requests.map(({ body }) => body as Sent);
}

export const last = (run: TestRun) => run.events.at(-1);
