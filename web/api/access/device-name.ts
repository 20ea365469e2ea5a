/** The name that people have for a device, from what its browser says of itself: `Firefox on Linux`. Pure. */

/** The first that fits: browsers name those that they want to be taken for as well. */
const browsers: readonly [RegExp, string][] = [
  [/\bEdgA?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\bFirefox\/|\bFxiOS\//, "Firefox"],
  [/\bCriOS\/|\bChrome\/|\bHeadlessChrome\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];
const systems: readonly [RegExp, string][] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b|\bMacintosh\b/, "Mac"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
];

/** @param agent the header `User-Agent` */
export function deviceName(agent: string | undefined): string {
  const found = (names: readonly [RegExp, string][]) => names.find(([pattern]) => pattern.test(agent ?? ""))?.[1];
  const [browser, system] = [found(browsers), found(systems)];
  if (browser === undefined) return system === undefined ? "A program" : `A program on ${system}`;
  return system === undefined ? browser : `${browser} on ${system}`;
}
