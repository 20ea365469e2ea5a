import { expect, test } from "vitest";
import { fitImage } from "../../backends/loop/fit-image.ts";
import { imageSize } from "../../protocol/files/image-size.ts";
import { bombPng, noisyPng, png } from "../support/sample-files.ts";

/** An optional dependency: what is promised differs with whether it is there. */
const hasSharp = await import("sharp").then(
  () => true,
  () => false,
);

test("an image that every provider takes is left as it is", async () => {
  expect(await fitImage(png(), "image/png")).toEqual({ content: png(), mime: "image/png" });
});

test("an image that says it is huge is refused in words, and never decoded", async () => {
  await expect(fitImage(bombPng(), "image/png")).rejects.toThrow("60000 × 60000 pixels are more than are decoded");
});

test("an image that is too wide, or has too many bytes, is scaled, or refused in words", async () => {
  for (const large of [png(8100, 20), noisyPng(1200)]) {
    const fitting = fitImage(large, "image/png");
    if (!hasSharp) {
      await expect(fitting).rejects.toThrow(/too large for a model .* sharp, which would scale it, isn't installed/);
      continue;
    }
    const { content, mime } = await fitting;
    expect(mime).toBe("image/jpeg");
    expect(content.length).toBeLessThan(3_750_000);
    const { width = 0, height = 0 } = imageSize(content, mime) ?? {};
    expect(Math.max(width, height)).toBeGreaterThan(1000);
    expect(Math.max(width, height)).toBeLessThanOrEqual(2000);
  }
});

test("an image that can't be decoded is refused in words", async () => {
  const broken = Buffer.concat([png().subarray(0, 40), Buffer.alloc(4_000_000, 7)]);
  await expect(fitImage(broken, "image/png")).rejects.toThrow(/too large for a model/);
});
