/** A browser that asks to be told of what happens: its service worker says so, and leads there. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Browser } from "playwright-core";
import { PlayedPushService } from "../../../support/network/played-push-service.ts";
import { askUntil } from "../../../support/ask-until.ts";
import { patienceMs } from "../../../support/patience.ts";
import { axeProblems, letIn, overflow, startBrowser } from "../../browser.ts";
import { PageSystem } from "../../page-system.ts";

let service: PlayedPushService;
let system: PageSystem;
let browser: Browser;
beforeAll(async () => {
  service = await PlayedPushService.start();
  browser = await startBrowser();
  system = await PageSystem.start({ push: { services: [service.url] }, backends: { breaks: { command: ["false"] } } });
});
afterAll(async () => {
  await browser.close();
  await system[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

test("a failure reaches the browser that asked for it, says nothing of its content, and leads to the run", async () => {
  await using tab = await letIn(browser, await system.link());
  const { page, context } = tab;
  const url = await system.url;
  await context.grantPermissions(["notifications"], { origin: url });
  // The browser's own push service is its maker's, out in the world: another stands in for it.
  const given = service.subscribe("this browser");
  await page.addInitScript((subscription) => {
    PushManager.prototype.subscribe = async () => ({ toJSON: () => subscription }) as unknown as PushSubscription;
  }, given);
  await page.goto(`${url}/devices`);
  const failures = page.getByRole("checkbox", { name: "A run has failed" });
  await failures.focus();
  await page.keyboard.press("Space");
  await page.waitForFunction(() => document.querySelector(".push-kinds input:checked") !== null);
  expect(await failures.isChecked()).toBe(true);
  expect(await axeProblems(page)).toEqual([]);
  expect(await overflow(page)).toBe(0);

  const run = await system.ask("the greenhouse heater", "-b", "breaks");
  const [told] = await askUntil(
    () => (service.told.length > 0 ? service.told : undefined),
    () => "it is told",
    patienceMs,
  );
  expect(told?.data).toEqual({ kind: "failed", tag: told?.topic, to: `/runs/${run}` });

  // As the browser hands it to its worker.
  const session = await context.newCDPSession(page);
  const registered = new Promise<string>((resolve) => {
    session.on("ServiceWorker.workerRegistrationUpdated", ({ registrations: [registration] }) => {
      if (registration) resolve(registration.registrationId);
    });
  });
  await session.send("ServiceWorker.enable");
  const registrationId = await registered;
  const data = JSON.stringify(told?.data);
  await session.send("ServiceWorker.deliverPushMessage", { origin: url, registrationId, data });
  await session.send("ServiceWorker.deliverPushMessage", { origin: url, registrationId, data });
  const shown = () =>
    page.evaluate(async () => {
      const notifications = await (await navigator.serviceWorker.ready).getNotifications();
      return notifications.map(({ title, body, tag }) => ({ title, body, tag }));
    });
  const notified = await askUntil(
    async () => ((await shown()).length > 0 ? shown() : undefined),
    () => "it is shown",
    patienceMs,
  );
  expect(notified).toEqual([{ title: "Cortex", body: "A run has failed.", tag: told?.topic }]);

  await failures.focus();
  await page.keyboard.press("Space");
  await page.waitForFunction(() => document.querySelector(".push-kinds input:checked") === null);
  expect(tab.complaints).toEqual([]);
});
