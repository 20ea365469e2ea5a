/** Hostile text in every field that a model, a file or a person fills, on every view, wide and on a phone: it runs nothing and breaks no layout. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { hostileKinds } from "./corpus.ts";
import { type HostilePlace, listPlaces, thingPlaces } from "./hostile-places.ts";
import { HostileSystem, type HostileThings } from "./hostile-system.ts";
import { type HarmWatch, watchHarm } from "./page-harm.ts";

const wide = { width: 1440, height: 900 };
const phone = { width: 390, height: 844 };

let system: HostileSystem;
beforeAll(async () => {
  system = await HostileSystem.start();
});
afterAll(() => system?.[Symbol.asyncDispose]());

/** Faults at a place: when it is shown, when things were opened and typed there, and on a phone. */
async function harmAt(place: HostilePlace, things: HostileThings, page: Page, watch: HarmWatch): Promise<string[]> {
  await page.setViewportSize(wide);
  await page.goto(system.url + place.address(things));
  await page.locator("h1").first().waitFor({ state: "attached" });
  await page
    .getByText(place.shown ?? things.kind.sign)
    .locator("visible=true")
    .first()
    .waitFor();
  const found = await watch.harm();
  await place.act?.(page, things.kind);
  found.push(...(await watch.harm()));
  await page.setViewportSize(phone);
  // The page is told of its width as the next frame is drawn, and makes other rows of it there.
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
  return [...found, ...(await watch.harm())];
}

async function expectNoHarm(places: readonly HostilePlace[], things: HostileThings | undefined): Promise<void> {
  if (!things) throw new Error("there is nothing of this kind");
  await using tab = await system.open({ ...wide, colorScheme: "light" });
  const { page, complaints } = tab;
  const watch = await watchHarm(page, system.url);
  const harm: Record<string, string[]> = {};
  for (const place of places) {
    const found = await harmAt(place, things, page, watch);
    if (found.length > 0) harm[place.address(things)] = found;
  }
  expect(harm).toEqual({});
  expect(complaints).toEqual([]);
}

test.each(hostileKinds.map(({ sign }, number) => ({ sign, number })))(
  "text of the kind $sign harms no page of a thing that holds it",
  ({ number }) => expectNoHarm(thingPlaces, system.things[number]),
);

test("text of all kinds harms no list that shows them beside each other", () =>
  expectNoHarm(listPlaces, system.things[0]));
