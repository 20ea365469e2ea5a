/** Chromium as a test drives it: a page that is let in, and what a test looks for on any view. */
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { type Browser, type BrowserContext, chromium, type Page, type Route } from "playwright-core";
import { findProgram } from "../../proc/os/find-program.ts";
import { patienceMs } from "../support/patience.ts";

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** @throws Error where there is no Chromium: node tools/setup/ensure-chromium.ts */
export async function startBrowser(): Promise<Browser> {
  const executablePath = findProgram("chromium") ?? findProgram("chromium-browser") ?? findProgram("google-chrome");
  if (executablePath === null) throw new Error("no Chromium: node tools/setup/ensure-chromium.ts");
  // As root, in a container, it has no sandbox of its own.
  return chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--font-render-hinting=none"],
  });
}

export type Look = { width: number; height: number; colorScheme: "light" | "dark" };

/** The looks in which each view is checked. */
export const looks: readonly Look[] = (["light", "dark"] as const).flatMap((colorScheme) => [
  { width: 1440, height: 900, colorScheme },
  { width: 390, height: 844, colorScheme },
]);

export type LetIn = AsyncDisposable & {
  context: BrowserContext;
  page: Page;
  /** The complaints of the page: errors, and what its policy refused. */
  complaints: string[];
};

/** A browser of its own, let in by a link. */
export async function letIn(
  browser: Browser,
  link: string,
  { width, height, colorScheme }: Look = { width: 1440, height: 900, colorScheme: "light" },
): Promise<LetIn> {
  const isPhone = width < 640;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme,
    reducedMotion: "reduce",
    locale: "en-GB",
    hasTouch: isPhone,
    isMobile: isPhone,
  });
  context.setDefaultTimeout(patienceMs);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    // What the API refused, or couldn't answer, is shown by the page.
    if (message.text().startsWith("Failed to load resource")) return;
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  await page.goto(link);
  return { context, page, complaints, [Symbol.asyncDispose]: () => context.close() };
}

/** Lists what axe finds on a view, a line each. */
export async function axeProblems(page: Page): Promise<string[]> {
  // Evaluated by the debugger: the page's policy lets no script in.
  await page.evaluate(axeSource);
  const found = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run: () => Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }> };
    };
    return (await axe.run()).violations;
  });
  return found.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
}

/** Whether the page is wider than its window: something breaks its layout. */
export const overflow = (page: Page): Promise<number> =>
  // As text: tools, too, import this file, and know nothing of a browser's types.
  page.evaluate<number>("document.documentElement.scrollWidth - document.documentElement.clientWidth");

/**
 * Takes what an open page asks from now on. Chromium tells its page a moment after `page.route` has returned: what is asked until
 * then goes by.
 */
export async function takeAsked(
  page: Page,
  address: string | ((address: URL) => boolean),
  handle: (route: Route) => unknown,
): Promise<void> {
  await page.route(address, handle);
  let isTaken = false;
  await page.route("**/is-taken", (route) => {
    isTaken = true;
    return route.fulfill();
  });
  while (!isTaken) await page.evaluate("fetch('/is-taken')");
}

const api = "**/api/v1/**";

/** Holds the answer to the next save of a page: the server has done it, and the page doesn't know. */
export async function holdSave(page: Page): Promise<{ arrived: Promise<void>; release: () => Promise<void> }> {
  const [arrived, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const answered = Promise.withResolvers<void>();
  let isHeld = false;
  // It stays: to take it away would race with what the page asks next.
  await takeAsked(page, api, async (route) => {
    if (isHeld || route.request().method() !== "PATCH") return route.fallback();
    isHeld = true;
    const response = await route.fetch();
    arrived.resolve();
    await released.promise;
    await route.fulfill({ response });
    answered.resolve();
  });
  const release = () => {
    released.resolve();
    return answered.promise;
  };
  return { arrived: arrived.promise, release };
}
