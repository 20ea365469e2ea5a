/** A page as somebody uses it who has keys alone: nothing is clicked, and the focus goes only where a key takes it. */
import type { Locator, Page } from "playwright-core";
import { patienceMs } from "../support/patience.ts";

/** Presses a key, or keys together, wherever the focus is. */
export const press = (page: Page, key: string): Promise<void> => page.keyboard.press(key);

/** Presses keys that belong together: the page waits only so long for the second, and the first may be heard late. */
export async function pressTogether(page: Page, keys: string): Promise<void> {
  await Promise.all(keys.split("").map((key) => press(page, key)));
}

type Way = {
  /** The key that leads there: `Shift+Tab` goes back, `j` from row to row (`k` from the last one on), arrows between choices. */
  by?: string;
  /** So often it is pressed at most. */
  most?: number;
};

/**
 * Presses a key until the target has the focus, which must be seen then.
 * @throws Error when the key doesn't lead there, or when nobody sees that it did
 */
export async function reach(page: Page, target: Locator, { by = "Tab", most = 60 }: Way = {}): Promise<void> {
  await target.waitFor();
  let key = by;
  for (let pressed = 0; !(await hasFocus(target)); pressed++) {
    if (pressed === most)
      throw new Error(`${by}, ${most} times, leads to ${await focused(page)}, not to ${String(target)}`);
    const before = await page.evaluateHandle(() => document.activeElement);
    await press(page, key);
    const isStuck = await before.evaluate((element) => element === document.activeElement);
    if (key === "j" && isStuck) key = "k";
  }
  await sees(page, target);
}

/** Waits until the target has the focus, by itself: after a key that opened, closed or sent something. */
export async function given(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  const until = Date.now() + patienceMs;
  while (!(await hasFocus(target))) {
    if (Date.now() > until) throw new Error(`the focus is at ${await focused(page)}, not at ${String(target)}`);
    await page.evaluate("new Promise(requestAnimationFrame)");
  }
  await sees(page, target);
}

const hasFocus = (target: Locator): Promise<boolean> =>
  target.evaluate((element) => {
    const root = element.getRootNode();
    return (root instanceof ShadowRoot ? root : document).activeElement === element;
  });

/** The element with the focus, as one reads it in an error. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const { activeElement } = document;
    if (activeElement === null) return "nothing";
    const { tagName, className } = activeElement;
    const name = activeElement.getAttribute("aria-label") ?? activeElement.textContent.trim().slice(0, 60);
    return `<${tagName.toLowerCase()} class="${className}"> “${name}”`;
  });

/** @throws Error unless the focus is shown where it is, in the colour that it has everywhere, and stands in the window */
async function sees(page: Page, target: Locator): Promise<void> {
  const wrong = await target.evaluate((element) => {
    if (!element.matches(":focus-visible")) return "it isn't :focus-visible";
    const probe = document.body.appendChild(document.createElement("i"));
    probe.style.color = "var(--accent)";
    const accent = getComputedStyle(probe).color;
    probe.remove();
    const root = element.getRootNode();
    const host = root instanceof ShadowRoot ? root.host : null;
    // The ring of a field stands around all that belongs to it.
    const ringed = [element, element.closest(".field, .box"), host].filter((one) => one !== null);
    const isSeen = ringed.some((one) => {
      const { boxShadow, outlineStyle, outlineColor } = getComputedStyle(one);
      return boxShadow.includes(accent) || (outlineStyle !== "none" && outlineColor === accent);
    });
    if (!isSeen) return "it has no ring";
    const { top, bottom, left, right } = element.getBoundingClientRect();
    const isInside = bottom > 0 && right > 0 && top < innerHeight && left < innerWidth;
    return isInside ? null : "it stands outside of the window";
  });
  if (wrong !== null) throw new Error(`${String(target)} has the focus, but ${wrong}: ${await focused(page)}`);
}
