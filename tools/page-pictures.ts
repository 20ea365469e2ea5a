/** `npm run page:pictures [FOLDER]`: every view of the page on the example journal, in light, dark and on a phone, to be looked at one by one. */
import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { views } from "../page/words/navigation/views.ts";
import { letIn, looks, startBrowser } from "../test/page/browser.ts";
import { PageSystem } from "../test/page/page-system.ts";

const folder = process.argv[2] ?? mkdtempSync(join(tmpdir(), "cortex-pictures-"));
mkdirSync(folder, { recursive: true });
await using system = await PageSystem.start();
const browser = await startBrowser();
try {
  const run = await system.ask("What did we decide about the greenhouse heater?");
  await system.ask("Check the notes of 11 January 2025", "-p", "reviewer");
  const url = await system.url;
  const pages = [
    ...views.map(({ id, path }) => ({ name: id as string, path: path as string })),
    { name: "run", path: `/runs/${run}` },
  ];
  for (const look of looks) {
    await using tab = await letIn(browser, await system.link(), look);
    for (const { name, path } of pages) {
      await tab.page.goto(`${url}${path}`);
      await tab.page.locator("h1").waitFor();
      await tab.page.locator('main[aria-busy="false"]').waitFor();
      const file = join(folder, `${name}-${look.width < 640 ? "phone-" : ""}${look.colorScheme}.png`);
      await tab.page.screenshot({ path: file });
    }
  }
} finally {
  await browser.close();
}
process.stdout.write(`${folder}\n`);
