/** The one check of what hostile text may never do to a page: run something, ask elsewhere, break the layout, hang it. */
import type { Page } from "playwright-core";
import { hiddenSigns } from "./hidden-signs.ts";
import { layoutFaults } from "./layout-faults.ts";

export type HarmWatch = {
  /** Lists what is wrong with the view as it is shown now, and what happened since the last time. A line each. */
  harm: () => Promise<string[]>;
};

/** Where the browser keeps what the policy of the page has refused. */
type Watched = typeof globalThis & { hit?: unknown; refusedByPolicy?: string[] };

/** Looks after a page from now on. What it has done before isn't seen. */
export async function watchHarm(page: Page, origin: string): Promise<HarmWatch> {
  const seen: string[] = [];
  page.on("dialog", (dialog) => {
    seen.push(`a dialog was opened: ${dialog.message().slice(0, 100)}`);
    void dialog.dismiss();
  });
  page.on("popup", (other) => void seen.push(`a window was opened: ${other.url().slice(0, 100)}`));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !url.startsWith("data:") && !url.startsWith("blob:"))
      seen.push(`asked elsewhere: ${url.slice(0, 100)}`);
  });
  page.on("pageerror", (error) => void seen.push(`broke off: ${String(error).slice(0, 300)}`));
  // By the browser itself: the page's policy lets no script in.
  await page.addInitScript(() => {
    const refused: string[] = [];
    (globalThis as Watched).refusedByPolicy = refused;
    addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sample }) =>
      refused.push(`refused by the policy: ${violatedDirective} ${blockedURI} ${sample}`),
    );
  });
  const harm = async () => {
    const { hasRun, refused, text } = await page.evaluate(() => {
      const watched = globalThis as Watched;
      return {
        hasRun: "hit" in watched,
        refused: watched.refusedByPolicy?.splice(0) ?? [],
        text: document.title + document.body.innerText,
      };
    });
    const hidden = hiddenSigns.exec(text);
    return [
      ...seen.splice(0),
      ...refused,
      ...(hasRun ? ["a script ran"] : []),
      ...(hidden ? [`shows nothing of a sign: ${aroundOf(text, hidden.index)}`] : []),
      ...(await page.evaluate(layoutFaults)),
      ...(await stillAnswers(page)),
    ];
  };
  return { harm };
}

/** Whether the page minds a key: the finder comes, and goes again. */
async function stillAnswers(page: Page): Promise<string[]> {
  const finder = page.getByRole("dialog", { name: "Find" });
  await page.keyboard.press("Control+k");
  await finder.waitFor();
  await page.keyboard.press("Escape");
  await finder.waitFor({ state: "detached" });
  return [];
}

const aroundOf = (text: string, at: number): string => JSON.stringify(text.slice(Math.max(0, at - 40), at + 20));
