/** Where hostile text is shown: each view, and each address of a thing that holds it. The table of what is checked. */
import type { Page } from "playwright-core";
import { asFileName, type HostileKind, sendable } from "./corpus.ts";
import { dayOfKind } from "./hostile-files.ts";
import type { HostileThings } from "./hostile-system.ts";

type Act = (page: Page, kind: HostileKind) => Promise<void>;

export type HostilePlace = {
  /** The address, of what there is of a kind. */
  address: (things: HostileThings) => string;
  /** Opens, presses or types something there once the hostile text is shown. */
  act?: Act;
  /** Where the kind's own sign may be too far down a long list to be drawn. */
  shown?: RegExp;
};

const fileAddress = (path: string) => `/journal/files/${path.split("/").map(encodeURIComponent).join("/")}`;

/** Places that show all kinds at a time. */
export const listPlaces: readonly HostilePlace[] = [
  { address: () => "/", act: openRows },
  { address: () => "/chat" },
  { address: () => "/runs", shown: /odd/i },
  { address: () => "/schedule", act: sayWhen },
  { address: () => "/agents" },
  { address: () => "/agents?of=skills" },
  { address: () => "/agents?of=memory" },
  { address: () => "/journal?of=facets" },
  { address: () => "/cost" },
  { address: () => "/changes" },
  { address: () => "/logs?program=channel-telegram", act: openLine },
  { address: () => "/settings" },
];

/** Places of one thing that holds text of one kind. */
export const thingPlaces: readonly HostilePlace[] = [
  { address: ({ ended }) => `/runs/${ended}`, act: walkSteps },
  { address: ({ failed }) => `/runs/${failed}`, act: walkSteps },
  { address: ({ working }) => `/runs/${working}` },
  { address: ({ ended, failed }) => `/runs/compare/${ended}/${failed}` },
  { address: ({ kind }) => `/runs?text=${kind.sign}` },
  { address: ({ agent }) => `/chat/${agent}`, act: typeAll },
  { address: ({ thread }) => `/threads/${thread}`, act: typeAll },
  { address: ({ thread, fork }) => `/threads/${thread}/${fork}`, act: typeAll },
  // Of the workspace that was looked at last.
  { address: () => "/threads" },
  { address: ({ kind }) => `/agents/${kind.sign}` },
  { address: ({ agent }) => `/agents/live/${agent}` },
  { address: ({ kind }) => `/agents/skills/${kind.sign}`, act: find },
  { address: ({ kind }) => `/agents/memory/people/${kind.sign}.md` },
  { address: ({ number }) => `/journal/${dayOfKind(number)}` },
  { address: ({ kind }) => `/journal/facets/${kind.sign}` },
  { address: ({ number }) => fileAddress(`${dayOfKind(number)}/notes.md`) },
  { address: ({ number, kind }) => fileAddress(`${dayOfKind(number)}/${asFileName(kind.name)}.md`) },
  { address: ({ number }) => fileAddress(`${dayOfKind(number)}/plain.txt`) },
  { address: ({ kind }) => `/journal?text=${kind.sign}` },
  { address: ({ changes }) => `/changes/${changes}` },
];

/** Opens the first row of each part of Now. */
async function openRows(page: Page): Promise<void> {
  for (const name of ["Needs you", "Working", "Failed", "Done today"]) {
    const row = page
      .getByRole("region", { name: new RegExp(`^${name}`) })
      .locator("li.row")
      .first();
    const opener = row.locator("button[aria-expanded=false]").first();
    if ((await opener.count()) === 0) continue;
    await opener.click();
    await row.locator("button[aria-expanded=true]").first().waitFor();
  }
}

/** Opens the line of a log that is of a kind. */
async function openLine(page: Page, { sign }: HostileKind): Promise<void> {
  await page.getByRole("list", { name: "Lines" }).getByRole("button", { name: sign }).first().click();
  await page.getByRole("complementary", { name: "Line" }).waitFor();
}

/** Says in words when something shall run, and reads why that is no time. */
async function sayWhen(page: Page, { text }: HostileKind): Promise<void> {
  await page.getByRole("textbox", { name: "When, in words" }).fill(sendable(text, 500));
  await page.locator("input[data-words][aria-invalid=true]").waitFor();
}

/** Looks for what there is of a kind. */
async function find(page: Page, { sign }: HostileKind): Promise<void> {
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog", { name: "Find" }).getByRole("combobox").fill(sign);
  await page.getByRole("option", { name: sign }).first().waitFor();
}

/** Chooses the steps of a run one after the other. */
async function walkSteps(page: Page): Promise<void> {
  const steps = page.getByRole("region", { name: "Events" }).locator("button.ev-in");
  await steps.first().waitFor();
  for (let at = 0; at < Math.min(4, await steps.count()); at++) await steps.nth(at).click();
}

/** Puts a text into every field where one says something, all at a time: typed, Chromium takes a minute for thousands of lines. */
async function typeAll(page: Page, { name, text }: HostileKind): Promise<void> {
  const draft = sendable(`${name} ${text}`, 20_000);
  await page.locator("main textarea:visible").evaluateAll((fields, value) => {
    for (const field of fields as HTMLTextAreaElement[]) {
      field.value = value;
      field.dispatchEvent(new Event("input", { bubbles: true }));
    }
  }, draft);
}
