import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { faceHues, hueOf, signOf } from "../../../../page/words/names/faces.ts";

test("an agent's colour goes by its slug alone, and different ones have different colours", () => {
  expect(hueOf("coder")).toBe(hueOf("coder"));
  const hues = ["assistant", "coder", "reviewer", "gardener", "plan", "gauge-check", "x", "translator"].map(hueOf);
  expect(new Set(hues).size).toBeGreaterThan(3);
  for (const hue of hues) expect(hue >= 1 && hue <= faceHues).toBe(true);
});

test("an avatar is one or two signs or a small picture, and anything else is none", () => {
  expect(signOf("🌱")).toEqual({ kind: "text", text: "🌱" });
  expect(signOf("👩‍🌾")).toEqual({ kind: "text", text: "👩‍🌾" });
  expect(signOf(" AB ")).toEqual({ kind: "text", text: "AB" });
  expect(signOf("data:image/png;base64,AAAA")).toEqual({ kind: "picture", address: "data:image/png;base64,AAAA" });
  for (const none of [
    null,
    "",
    "  ",
    "ABC",
    "https://example.org/x.png",
    "data:image/svg+xml;base64,AAAA",
    "\u202E\u202E",
  ])
    expect(signOf(none)).toBeNull();
});

test("ink on each agent's colour has the contrast that small text needs, in light and in dark", () => {
  const tokens = readFileSync(new URL("../../../../page/styles/tokens.css", import.meta.url), "utf8");
  const pair = (name: string) => {
    const [, light = "", dark = ""] = new RegExp(`--${name}: light-dark\\((#\\w{6}), (#\\w{6})\\)`).exec(tokens) ?? [];
    return [light, dark] as const;
  };
  const ink = pair("ink");
  const ratios = Array.from({ length: faceHues }, (_, index) => pair(`face-${index + 1}`)).flatMap((ground) => [
    contrast(ink[0], ground[0]),
    contrast(ink[1], ground[1]),
  ]);
  expect(ratios).toHaveLength(2 * faceHues);
  expect(Math.min(...ratios)).toBeGreaterThan(4.5);
});

/** As WCAG 2 has it. */
function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
