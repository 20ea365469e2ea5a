/** Plays the morning of the pictures on a running system: its runs work, fail and end one after the other, and one asks. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { readEndpoints } from "../../journal/access/endpoints.ts";
import { PageSystem } from "../../test/page/page-system.ts";
import { mornings, question, rule } from "./pictured-morning.ts";

const command = [process.execPath, fileURLToPath(new URL("pictured-agent.ts", import.meta.url))];

/** A system on the example journal whose backend `played` plays the morning's runs. */
export const startPictured = () =>
  PageSystem.start({
    default_backend: "offline",
    backends: { played: { command } },
    max_concurrent: 6,
  });

/**
 * Asks for each run of the morning once the one before it is shown.
 * @param page that shows Now
 */
export async function playMorning(system: PageSystem, page: Page): Promise<void> {
  const part = (name: string) => page.getByRole("region", { name: new RegExp(`^${name}`) });
  for (const { prompt, persona, part: name } of mornings) {
    const before = await part(name).locator("li.row").count();
    await ask(system, { prompt, persona, backend: "played" });
    await part(name).locator("li.row").nth(before).waitFor();
  }
  // What was asked before isn't asked about.
  const file = join(system.journal, "cortex.json");
  const settings = JSON.parse(readFileSync(file, "utf8")) as object;
  writeFileSync(file, JSON.stringify({ ...settings, permissions: [rule] }));
  await ask(system, { prompt: question });
  await part("Needs you").locator("li.row").first().waitFor();
}

async function ask(system: PageSystem, body: Record<string, string>): Promise<void> {
  const headers = {
    Authorization: `Bearer ${readEndpoints(system.journal)?.web_token ?? ""}`,
    "Content-Type": "application/json",
  };
  const response = await fetch(`${await system.url}/api/v1/runs`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
}
