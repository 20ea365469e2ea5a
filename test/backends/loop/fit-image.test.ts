import { execa } from "execa";
import { expect, test } from "vitest";
import { fitImage } from "../../../backends/loop/files/fit-image.ts";
import { imageSize } from "../../../protocol/files/image-size.ts";
import { bombPng, noisyPng, png } from "../../support/files/sample-files.ts";

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

test.skipIf(!hasSharp)("an image that is too wide, or has too many bytes, is scaled", async () => {
  for (const large of [png(8100, 20), noisyPng(1200)]) {
    const { content, mime } = await fitImage(large, "image/png");
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

test("an image that is too large is refused in words where sharp isn't installed, and any other is shown", async () => {
  const program = `
    import { registerHooks } from "node:module";
    registerHooks({
      resolve(specifier, context, next) {
        if (specifier === "sharp") throw Object.assign(new Error("not found"), { code: "ERR_MODULE_NOT_FOUND" });
        return next(specifier, context);
      },
    });
    const { fitImage } = await import(process.argv[1]);
    const said = [];
    for (const data of JSON.parse(process.argv[2]))
      said.push(await fitImage(Buffer.from(data, "base64"), "image/png").then(({ mime }) => mime, ({ message }) => message));
    console.log(JSON.stringify(said));`;
  const source = new URL("../../../backends/loop/files/fit-image.ts", import.meta.url).href;
  const images = JSON.stringify([png(8100, 2), png()].map((image) => image.toString("base64")));
  const { stdout } = await execa(process.execPath, ["--input-type=module", "-e", program, source, images]);
  expect(JSON.parse(stdout)).toEqual([
    expect.stringMatching(/^too large for a model \(8100 × 2 pixels, .* sharp, which would scale it, isn't installed$/),
    "image/png",
  ]);
});
