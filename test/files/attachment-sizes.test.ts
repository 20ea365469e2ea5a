import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { estimateTokens } from "../../conversation/size/tokens.ts";
import { withImageSizes } from "../../files/attachment-sizes.ts";
import { storeAttachment } from "../../files/attachment-store.ts";
import { png } from "../support/files/sample-files.ts";

test("a stored image counts by its pixels, as its model's seller counts them; another file, or one that is gone, as before", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sizes-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const rules = { maxBytes: 1e6, kinds: ["*/*", "image/*", "text/*"] };
  const image = await storeAttachment(folder, "a.png", [png(960, 540)], rules);
  const text = await storeAttachment(folder, "a.txt", [Buffer.from("hello")], rules);
  const gone = { ...image, id: "0".repeat(64) };
  const parts = await withImageSizes(folder, [image, text, gone]);
  expect(parts).toEqual([{ ...image, width: 960, height: 540 }, text, gone]);
  const tokens = (part: (typeof parts)[number] | undefined, seller: string) =>
    part && estimateTokens([{ role: "user", text: "", parts: [part] }], seller);
  const [fixed = 0] = [tokens(gone, "openai")];
  const sizes = ["anthropic", "openai", "google"].map((seller) => (tokens(parts[0], seller) ?? 0) - fixed + 1600);
  // 960 × 540 / 750; four tiles of 170 and 85; six of 258.
  expect(sizes).toEqual([692, 765, 1548]);
});
