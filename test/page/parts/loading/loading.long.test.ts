/** Views whose answers are held back, in a browser: still bars stand where the rows come, and a problem where none can. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { axeProblems, looks, overflow } from "../../browser.ts";
import { ViewSystem } from "../../view-system.ts";

let system: ViewSystem;
let run: string;
beforeAll(async () => {
  system = await ViewSystem.start();
  ({ id: run } = await system.call<{ id: string }>("POST", "/runs", {
    prompt: "What did we decide about the heater?",
  }));
  await system.journal.until(() => system.journal.hasEnded(run), "the run has ended");
});
afterAll(() => system?.[Symbol.asyncDispose]());

/** The address of a view, and the operation whose answer its rows are made of. */
const views: readonly (readonly [address: () => string, operation: RegExp])[] = [
  [() => "/", /^\/api\/v1\/now$/],
  [() => "/chat", /^\/api\/v1\/companions$/],
  [() => "/threads", /^\/api\/v1\/workspaces$/],
  [() => `/runs/${run}`, /^\/api\/v1\/runs\/\d+$/],
  [() => `/runs/compare/${run}/${run}`, /^\/api\/v1\/runs\/\d+\/events$/],
  [() => "/schedule", /^\/api\/v1\/schedules$/],
  [() => "/agents", /^\/api\/v1\/personas$/],
  [() => "/agents/reviewer", /^\/api\/v1\/personas\/reviewer$/],
  [() => "/agents?of=skills", /^\/api\/v1\/skills$/],
  [() => "/agents?of=memory", /^\/api\/v1\/memory$/],
  [() => "/agents?of=tools", /^\/api\/v1\/tools$/],
  [() => "/journal", /^\/api\/v1\/journal\/days$/],
  [() => "/journal/20250118", /^\/api\/v1\/journal\/days\/20250118$/],
  [() => "/journal/facets/garden", /^\/api\/v1\/journal\/facets\/garden$/],
  [() => "/journal/files/20250118/notes.md", /^\/api\/v1\/journal\/entry$/],
  [() => "/journal?text=lemon", /^\/api\/v1\/journal\/search$/],
  [() => "/cost", /^\/api\/v1\/cost$/],
  [() => "/changes", /^\/api\/v1\/changes$/],
  [() => "/logs", /^\/api\/v1\/logs$/],
  [() => "/settings", /^\/api\/v1\/settings$/],
  [() => "/devices", /^\/api\/v1\/sessions$/],
];

const bars = (page: Page) => page.getByRole("group", { name: "Loading" });

/** Holds the answers of an operation back. @returns lets them go, with an answer of its own where one is given */
async function hold(page: Page, operation: RegExp): Promise<(status?: number) => void> {
  const told = Promise.withResolvers<number | undefined>();
  await page.route(
    (address) => operation.test(address.pathname),
    async (route) => {
      const status = await told.promise;
      if (status === undefined) await route.continue().catch(() => {});
      else
        await route
          .fulfill({ status, json: { error: { code: "unavailable", message: "it is away" } } })
          .catch(() => {});
    },
  );
  return (status) => told.resolve(status);
}

/** Wide and light, and on a phone in the dark. */
const twoLooks = looks.filter(({ width, colorScheme }) => (width === 390) === (colorScheme === "dark"));

test.each(twoLooks)(
  "each view that waits for its answer shows still bars, which go when it is there, at $width in $colorScheme",
  async (look) => {
    await using tab = await system.open("/", look);
    const { page, complaints } = tab;
    for (const [address, operation] of views) {
      const letGo = await hold(page, operation);
      await page.goto(system.url + address());
      await bars(page).first().waitFor();
      expect(await bars(page).first().getAttribute("aria-busy")).toBe("true");
      // Nobody is read a row of nothing.
      expect(await bars(page).first().ariaSnapshot()).toBe('- group "Loading"');
      const moving = await page.evaluate(
        () =>
          document
            .getAnimations()
            .filter(({ effect }) => effect instanceof KeyframeEffect && effect.target?.closest(".skeleton")).length,
      );
      expect([address(), moving, await overflow(page), await axeProblems(page)]).toEqual([address(), 0, 0, []]);
      letGo();
      await expect.poll(() => page.locator(".skeleton").count(), { message: address() }).toBe(0);
      expect([address(), await page.getByRole("alert").count()]).toEqual([address(), 0]);
    }
    expect(complaints).toEqual([]);
  },
);

test("a view whose answer can't be had says why, and shows no bars; asked again, it shows what is there", async () => {
  await using tab = await system.open("/");
  const { page } = tab;
  for (const [address, operation] of views) {
    const letGo = await hold(page, operation);
    await page.goto(system.url + address());
    await bars(page).first().waitFor();
    letGo(503);
    const problem = page.getByRole("alert").filter({ hasText: "t is away" }).first();
    await problem.waitFor();
    const again = problem.getByRole("button", { name: "Try again" });
    await again.waitFor();
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await again.click();
    await page.waitForFunction(() => document.querySelector(".skeleton, .problem") === null);
  }
});
