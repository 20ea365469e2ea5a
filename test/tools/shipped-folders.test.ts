import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { layers, shippedFolders } from "../../tools/layers.ts";

type BuildConfig = { exclude: string[] };

test("the build leaves out exactly the folders that aren't shipped", () => {
  const path = new URL("../../tsconfig.build.json", import.meta.url);
  const { exclude } = JSON.parse(readFileSync(path, "utf8")) as BuildConfig;
  const notShipped = Object.keys(layers).filter((folder) => !shippedFolders.includes(folder));
  expect(exclude.toSorted()).toEqual([...notShipped, "node_modules", "dist", "vitest.config.ts"].toSorted());
});
