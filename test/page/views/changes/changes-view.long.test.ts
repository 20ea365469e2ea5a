/** Changes in a browser: read, commented on by line, applied, refused, dropped; by keys, and with hostile files. */
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Browser } from "playwright-core";
import { makeWorktree } from "../../../../cortex/worktrees/make-worktree.ts";
import { takeChanges } from "../../../../cortex/worktrees/take-changes.ts";
import { readWorktree, worktreePaths } from "../../../../journal/worktrees/worktree-record.ts";
import { runCortexJson } from "../../../scripts/run-command.ts";
import { makeRepository, putFiles } from "../../../support/git-repository.ts";
import { axeProblems, letIn, looks, overflow, startBrowser } from "../../browser.ts";
import { given, press, pressTogether, reach } from "../../by-keys.ts";
import { PageSystem } from "../../page-system.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "garden-")));
const repository = join(folder, "garden");
let system: PageSystem;
let browser: Browser;
let url: string;

beforeAll(async () => {
  [system, browser] = await Promise.all([PageSystem.start(), startBrowser()]);
  url = await system.url;
  makeRepository(repository, {
    "plan.md": "# Plan\n\nPeas in March.\nBeans in May.\n",
    "heater.json": '{ "limit": 4 }\n',
    "old.txt": "1\n2\n3\n4\n5\n",
  });
});
afterAll(async () => {
  await browser?.close();
  await system?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** A run that has ended, and these changes of it. */
async function changed(files: Record<string, string | Buffer>): Promise<string> {
  const run = await system.ask("Tidy up the plan of the garden");
  const journal = realpathSync(system.journal);
  const work = await makeWorktree(journal, { id: run, agentId: run, folder: repository, folders: [folder] });
  putFiles(work, files);
  await takeChanges(journal, run, run);
  return run;
}

test("changes are read and applied by keys alone", async () => {
  const run = await changed({ "plan.md": "# Plan\n\nPeas in April.\nBeans in May.\n", "new/seeds.md": "- peas\n" });
  await using tab = await letIn(browser, await system.link());
  const { page, complaints } = tab;
  await page.locator("h1").waitFor();
  await pressTogether(page, "gd");
  await page.locator("h1", { hasText: "Changes" }).waitFor();
  const file = page.getByRole("region", { name: "plan.md" });
  await file.getByText("Peas in April.").waitFor();
  expect(await file.locator(".del").innerText()).toContain("Peas in March.");
  await reach(page, page.locator(`main a[href="/changes/${run}"]`), { by: "j" });
  await press(page, "Enter");
  await page.waitForURL(`${url}/changes/${run}`);
  await page.locator("h1", { hasText: "garden" }).waitFor();
  await reach(page, page.getByRole("button", { name: /^Apply/ }));
  await press(page, "Enter");
  await page.getByText("nothing was committed").waitFor();
  await given(page, page.locator(".change-head"));
  expect(readFileSync(join(repository, "plan.md"), "utf8")).toContain("Peas in April.");
  expect(readFileSync(join(repository, "new/seeds.md"), "utf8")).toBe("- peas\n");
  expect(readWorktree(system.journal, run)?.state).toBe("applied");
  expect(complaints).toEqual([]);
});

test("changes that grow while they are first read are read once more", async () => {
  const run = await changed({ "plan.md": "# Plan\n\nPeas in June.\n" });
  await using tab = await letIn(browser, await system.link());
  const { page, complaints } = tab;
  const [taken, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route(
    (address) => address.pathname === `/api/v1/changes/${run}`,
    async (route) => {
      const response = await route.fetch();
      taken.resolve();
      await held.promise;
      // It may be asked for no more.
      await route.fulfill({ response }).catch(() => {});
    },
    { times: 1 },
  );
  await page.goto(`${url}/changes/${run}`);
  await taken.promise;
  putFiles(worktreePaths(realpathSync(system.journal), run).files, { "later.md": "- beans\n" });
  await takeChanges(realpathSync(system.journal), run, run);
  // Once it has ended, changes are listed anew.
  await system.ask("What did we decide about the heater?");
  await page.locator(`main a[href="/changes/${run}"]`).getByText("later.md").waitFor();
  held.resolve();
  await page.getByRole("region", { name: "later.md" }).getByText("- beans").waitFor();
  expect(complaints).toEqual([]);
});

test("a comment on a line, by keys alone, goes to a run that continues the one that made the change", async () => {
  const run = await changed({ "heater.json": '{\n  "limit": 5\n}\n' });
  await using tab = await letIn(browser, await system.link());
  const { page, complaints } = tab;
  await page.goto(`${url}/changes/${run}`);
  const file = page.getByRole("region", { name: "heater.json" });
  await file.getByRole("button", { name: "Comment on line 1" }).waitFor();
  await reach(page, file.locator("button.at").first());
  await reach(page, file.getByRole("button", { name: "Comment on line 2" }), { by: "ArrowDown" });
  await press(page, "Enter");
  await given(page, file.getByRole("textbox", { name: "Comment on line 2" }));
  await page.keyboard.type("Why five? It was four.");
  await page.keyboard.press("Enter");
  const link = file.getByRole("status").getByRole("link");
  const next = ((await link.getAttribute("href")) ?? "").split("/").at(-1) ?? "";
  const { document } = await runCortexJson(system.journal, ["runs", "show", next], system.env);
  const said = JSON.stringify(document);
  expect(said).toContain("heater.json, line 2");
  expect(said).toContain("Why five? It was four.");
  expect(complaints).toEqual([]);
});

test("changes that don't fit any more are refused with the file's name, and dropped after a question", async () => {
  const run = await changed({ "old.txt": "1\n2\n3\n4\nfive\n" });
  putFiles(repository, { "old.txt": "something else\n" });
  await using tab = await letIn(browser, await system.link());
  const { page, complaints } = tab;
  await page.goto(`${url}/changes/${run}`);
  await reach(page, page.getByRole("button", { name: /^Apply/ }));
  await press(page, "Enter");
  await page.getByRole("alert").filter({ hasText: "old.txt" }).waitFor();
  expect(readFileSync(join(repository, "old.txt"), "utf8")).toBe("something else\n");
  await page.getByText("Does not fit any more", { exact: true }).waitFor();
  await page.keyboard.press("d");
  const dialog = page.getByRole("dialog", { name: /^Drop the changes of 1 file/ });
  await dialog.waitFor();
  expect(await axeProblems(page)).toEqual([]);
  // However quickly it is asked for again.
  for (let time = 0; time < 10; time++) {
    await page.keyboard.press("Escape");
    await page.keyboard.press("d");
    await dialog.waitFor();
  }
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  expect(readWorktree(system.journal, run)?.state).toBe("conflict");
  await press(page, "d");
  await reach(page, dialog.getByRole("button", { name: /^Drop/ }), { most: 3 });
  await press(page, "Enter");
  await page.getByText("They were deleted, and their branch with them.").waitFor();
  expect(readWorktree(system.journal, run)?.state).toBe("dropped");
  expect(complaints).toEqual([]);
});

const markup = `<script>globalThis.hit=1</script><img src=x onerror="globalThis.hit=1">`;

test("hostile files run nothing and break no layout, and axe finds nothing, in every look", async () => {
  const run = await changed({
    [`${markup.replaceAll("/", "")}.txt`]: `${markup}\n\u202Eback\u0001wards\u001b[31m\n${"W".repeat(1_000_000)}\n`,
    "\u202Egnp.exe": "a\n",
    "long.txt": Array.from({ length: 3000 }, (_, index) => `line ${index}\n`).join(""),
    "data.bin": Buffer.from([0, 1, 2, 255]),
  });
  for (const look of looks) {
    await using tab = await letIn(browser, await system.link(), look);
    const { page, complaints } = tab;
    for (const path of ["/changes", `/changes/${run}`]) {
      await page.goto(`${url}${path}`);
      await page.locator("h1").waitFor();
      if (path !== "/changes" || look.width > 1100) await page.getByText("⟨202E⟩back␁wards␛[31m").waitFor();
      else
        await page
          .getByRole("link", { name: /garden/ })
          .first()
          .waitFor();
      const hit = await page.evaluate(() => "hit" in globalThis);
      expect([path, hit, await overflow(page), await axeProblems(page)]).toEqual([path, false, 0, []]);
    }
    const long = page.getByRole("region", { name: "long.txt" });
    await long.getByRole("button", { name: /long.txt/ }).click();
    await long.getByRole("button", { name: "2,000 more lines" }).click();
    await long.getByText(/line 1999$/).waitFor();
    expect(complaints).toEqual([]);
  }
});
