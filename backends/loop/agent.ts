/** A run on a model: says that it starts, gets its tools, runs the loop, says how it ended. */
import { loop } from "./loop.ts";
import { type Provider, searchTool } from "../provider/provider.ts";
import type { Run } from "./run/run.ts";
import { startEvent } from "./run/start-event.ts";
import { noTools, type Toolbox } from "./calls/tools.ts";

/** Tools that not every machine has: packs name them, and `cortex tools list` says what turns them on. */
const dependsOnMachine = new Set([searchTool]);

/** @throws RunFailure; anything once the run is cancelled */
export async function runWithModel(provider: Provider, run: Run): Promise<void> {
  const { config } = run;
  const model = config.model ?? provider.defaultModel;
  await run.emit(startEvent(config, provider.name, model));
  await using tools = await openTools(run);
  await run.emit(await loop(run, provider, model, tools));
}

async function openTools(run: Run): Promise<Toolbox> {
  const { mcp_server_url: url, mcp_token: token, tools: wanted, attachments_folder: folder } = run.config;
  const { attachment_limits: limits } = run.config;
  if (url === undefined || run.config["disable_mcp"] === true || wanted?.length === 0) return noTools;
  const { connectTools } = await import("./calls/mcp-client.ts");
  const tools = await connectTools({ url, token, wanted, folder, limits }, run.signal);
  const missing = tools.missing.filter((name) => !dependsOnMachine.has(name));
  if (missing.length > 0)
    await run.emit({ event: "info", message: `the tool server doesn't offer: ${missing.join(", ")}` });
  return tools;
}
