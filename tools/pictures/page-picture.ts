/** `npm run page:picture`: draws Now on the example journal while runs are asked for, work, fail and end: `docs/now-light.png`, `docs/now-dark.png`. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { letIn, startBrowser } from "../../test/page/browser.ts";
import { playMorning, startPictured } from "./played-morning.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const size = { width: 1200, height: 660 };

await using system = await startPictured();
const browser = await startBrowser();
try {
  await using tab = await letIn(browser, await system.link(), { ...size, colorScheme: "light" });
  await playMorning(system, tab.page);
  for (const colorScheme of ["light", "dark"] as const) await draw(tab.page, colorScheme);
} finally {
  await browser.close();
}

async function draw(page: Page, colorScheme: "light" | "dark"): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
  await page.screenshot({ path: join(root, `docs/now-${colorScheme}.png`) });
}
