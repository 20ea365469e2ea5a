/** `npm run page:pictures [FOLDER]`: every view of the page on the example journal, in light, dark and on a phone, to be looked at one by one. */
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { views } from "../../page/words/navigation/views.ts";
import { letIn, looks, startBrowser } from "../../test/page/browser.ts";
import { runCortex, runCortexJson } from "../../test/scripts/run-command.ts";
import { playMorning, startPictured } from "./played-morning.ts";

const folder = process.argv[2] ?? mkdtempSync(join(tmpdir(), "cortex-pictures-"));
mkdirSync(folder, { recursive: true });
await using system = await startPictured();
const browser = await startBrowser();
try {
  const run = await system.ask("What did we decide about the greenhouse heater?");
  const other = await system.ask("Check the notes of 11 January 2025", "-p", "reviewer");
  await cortex("chat", "When was the heater installed?");
  const fork = await talkInThread();
  await morning();
  const failed = await newestFailed();
  const url = await system.url;
  // Where a view has rows of its own, they are waited for.
  const rows: Record<string, string> = {
    now: ".now li.row",
    schedule: "main table td",
    // On a phone the list is all that there is.
    agents: '.told, [aria-label="Built in"] a',
    persona: ".told",
    cost: ".cost-table td",
    run: ".ev-in",
    "run-failed": ".ev-in",
    chat: ".msg",
    threads: ".post",
    runs: "[aria-label=Runs] a",
    fork: ".post",
    compare: ".pair",
  };
  const pages = [
    ...views.map(({ id, path }) => ({ name: id as string, path: path as string })),
    { name: "run", path: `/runs/${run}` },
    { name: "run-failed", path: `/runs/${failed}` },
    { name: "compare", path: `/runs/compare/${run}/${other}` },
    { name: "persona", path: "/agents/reviewer" },
    { name: "fork", path: fork },
  ];
  for (const look of looks) {
    await using tab = await letIn(browser, await system.link(), look);
    for (const { name, path } of pages) {
      await tab.page.goto(`${url}${path}`);
      await tab.page.locator("h1").waitFor();
      await tab.page.locator('main[aria-busy="false"]').waitFor();
      const row = rows[name];
      if (row !== undefined) await tab.page.locator(row).first().waitFor({ state: "attached" });
      const file = join(folder, `${name}-${look.width < 640 ? "phone-" : ""}${look.colorScheme}.png`);
      await tab.page.screenshot({ path: file });
    }
  }
} finally {
  await browser.close();
}
process.stdout.write(`${folder}\n`);

async function morning(): Promise<void> {
  await using tab = await letIn(browser, await system.link());
  await playMorning(system, tab.page);
}

async function newestFailed(): Promise<string> {
  const { document } = await runCortexJson(system.journal, ["runs", "list", "--state", "failed"], system.env);
  return (document["runs"] as { agent_id: string }[])[0]?.agent_id ?? "";
}

async function cortex(...args: string[]): Promise<void> {
  const { code, stderr } = await runCortex(system.journal, args, system.env);
  if (code !== 0) throw new Error(`cortex ${args.join(" ")}: ${stderr}`);
}

/** An agent is mentioned, and a fork's conclusion comes back. @returns the address of a fork that is open */
async function talkInThread(): Promise<string> {
  const title = "The greenhouse";
  const agents = join(system.journal, "agents.yaml");
  await cortex("workspace", "agents", "export", agents);
  writeFileSync(agents, readFileSync(agents, "utf8").replaceAll("tools: []", "tools: [journal]"));
  await cortex("workspace", "agents", "import", agents);
  await cortex(
    "thread",
    "post",
    "--new",
    title,
    "--wait",
    "@assistant What did we decide about the greenhouse heater?",
  );
  for (const question of ["What does it cost to run?", "Who fetches the bubble wrap?"]) {
    await cortex("thread", "fork", title, question);
    const { document } = await runCortexJson(system.journal, ["thread", "show", title], system.env);
    const [newest] = document["forks"] as { id: string; thread_id: string }[];
    if (!newest) throw new Error("no fork");
    const id = newest.id.slice(-8);
    await cortex("thread", "post", "--fork", id, "--wait", `@assistant ${question}`);
    if (question.startsWith("Who")) return `/threads/${newest.thread_id}/${newest.id}`;
    await cortex("thread", "post", "--fork", id, "We set the thermostat to 4 °C: at most 25 euros a month.");
    await cortex("thread", "resolve", id, "--post");
  }
  throw new Error("no fork is open");
}
