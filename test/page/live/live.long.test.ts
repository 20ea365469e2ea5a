/** The page while the web program is killed and comes back: rows go on, nothing is missed, and nobody reloads. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Page } from "playwright-core";
import { readEndpoints } from "../../../journal/access/endpoints.ts";
import { fixtureAgent } from "../../support/cortex-system.ts";
import { UpJournal } from "../../supervisor/up-process.ts";
import { letIn, startBrowser } from "../browser.ts";
import { linkOf } from "../page-program.ts";

test("rows change while the web program is away, and are right when it is back, without a reload", async () => {
  await using journal = new UpJournal({
    default_backend: "scripted",
    backends: { scripted: fixtureAgent("scripted") },
    channels: { web: { enabled: true } },
  });
  const up = journal.start();
  await up.isUp();
  await using browser = await startBrowser();
  const url = readEndpoints(journal.path)?.web_url ?? "";
  const token = readFileSync(join(journal.path, ".run/web-token"), "utf8").trim();
  await using tab = await letIn(browser, await linkOf(url, token));
  const { page, complaints } = tab;
  await page.getByText("Live", { exact: true }).waitFor();
  await page.evaluate("globalThis.isSame = true");
  // Beside it the lists of all runs, and of those at work.
  const [all, atWork] = [await tab.context.newPage(), await tab.context.newPage()];
  await all.goto(`${url}/runs`);
  await atWork.goto(`${url}/runs?state=working`);
  const listed = (list: Page, words: string, mark: string) =>
    list
      .getByRole("list", { name: "Runs" })
      .getByRole("listitem")
      .filter({ hasText: words })
      .filter({ has: list.getByRole("img", { name: mark, exact: true }) });
  await using bus = await journal.client();
  const part = (name: string) => page.getByRole("region", { name: new RegExp(`^${name}`) });
  let last = Date.now() - 60_000;
  const ask = async (result: string, file: string): Promise<string> => {
    const ts = ++last;
    const steps = [
      { ev: { event: "start" } },
      { await: join(journal.path, file) },
      { ev: { event: "finish", result } },
    ];
    bus.connection.publish("cortex.request", JSON.stringify({ ts, prompt: JSON.stringify(steps) }));
    await bus.connection.flush();
    await journal.until(() => journal.file(String(ts)).some(({ event }) => event === "start"), `${ts} works`);
    return String(ts);
  };
  for (let round = 1; round <= 3; round++) {
    const before = await ask(`before ${round}`, `before-${round}`);
    await part("Working").locator("li.row").first().waitFor();
    await listed(all, `before ${round}`, "Working").waitFor();
    await atWork.reload();
    await listed(atWork, `before ${round}`, "Working").waitFor();
    // Each says so for as long as it is away, which may be less than a second.
    const cutOff = [page, all, atWork].map((one) =>
      one.waitForFunction(() => document.body.textContent.includes("Not connected since"), undefined, { polling: 50 }),
    );
    journal.kill("channel-web");
    await Promise.all(cutOff);
    writeFileSync(join(journal.path, `before-${round}`), "");
    await journal.until(() => journal.hasEnded(before), `${before} has ended`);
    await ask(`after ${round}`, `after-${round}`);
    await page.getByText(/^(Back after|Live$)/).waitFor();
    await part("Done today").getByText(`before ${round}`).waitFor();
    await part("Working").getByText(`after-${round}`).waitFor();
    await listed(all, `before ${round}`, "Done").waitFor();
    await listed(all, `after ${round}`, "Working").waitFor();
    await listed(atWork, `before ${round}`, "Working").waitFor({ state: "detached" });
    writeFileSync(join(journal.path, `after-${round}`), "");
    await part("Done today").getByText(`after ${round}`).waitFor();
    await part("Working").locator("li.row").first().waitFor({ state: "detached" });
  }
  expect(await page.evaluate("globalThis.isSame")).toBe(true);
  expect(complaints.filter((one) => !/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE|net::/.test(one))).toEqual([]);
});
