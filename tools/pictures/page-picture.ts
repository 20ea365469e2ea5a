/** `npm run page:picture`: draws Now on the example journal while runs are asked for, work, fail and end: `docs/now-light.png`, `docs/now-dark.png`. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { readEndpoints } from "../../journal/access/endpoints.ts";
import { letIn, startBrowser } from "../../test/page/browser.ts";
import { PageSystem } from "../../test/page/page-system.ts";
import { mornings, question, rule } from "./pictured-morning.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const size = { width: 1200, height: 660 };
const command = [process.execPath, join(root, "tools/pictures/pictured-agent.ts")];

await using system = await PageSystem.start({
  default_backend: "offline",
  backends: { played: { command } },
  permissions: [rule],
  max_concurrent: 6,
});
const browser = await startBrowser();
try {
  const url = await system.url;
  await using tab = await letIn(browser, await system.link(), { ...size, colorScheme: "light" });
  const part = (name: string) => tab.page.getByRole("region", { name: new RegExp(`^${name}`) });
  for (const { prompt, persona, part: name } of mornings) {
    const before = await part(name).locator("li.row").count();
    await ask(url, { prompt, persona, backend: "played" });
    await part(name).locator("li.row").nth(before).waitFor();
  }
  await ask(url, { prompt: question });
  await part("Needs you").locator("li.row").first().waitFor();
  for (const colorScheme of ["light", "dark"] as const) await draw(tab.page, colorScheme);
} finally {
  await browser.close();
}

async function draw(page: Page, colorScheme: "light" | "dark"): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
  await page.screenshot({ path: join(root, `docs/now-${colorScheme}.png`) });
}

async function ask(url: string, body: Record<string, string>): Promise<void> {
  const headers = {
    Authorization: `Bearer ${readEndpoints(system.journal)?.web_token ?? ""}`,
    "Content-Type": "application/json",
  };
  const response = await fetch(`${url}/api/v1/runs`, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
}
