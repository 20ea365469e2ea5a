/** Imports a program of this package: its bundle; else its source in a checkout, what was built from it in an installed package. */
import { existsSync } from "node:fs";
// As a whole, so that an old Node gets as far as being told that it is old.
import * as nodeModule from "node:module";
import { freshBundle } from "./bundle.js";

const needed = 24;

export async function launch(program) {
  if (Number.parseInt(process.versions.node, 10) < needed) {
    process.stderr.write(
      `error: cortex needs Node ${needed} or newer, this is ${process.version}\n  in a checkout: npm ci, then npx cortex or npm start; elsewhere: install Node ${needed}\n`,
    );
    process.exit(2);
  }
  nodeModule.enableCompileCache();
  const source = new URL(`../${program}.ts`, import.meta.url);
  const hasSources = existsSync(source);
  const own = hasSources ? source.href : new URL(`../dist/${program}.js`, import.meta.url).href;
  return import(freshBundle(program, hasSources) ?? own);
}
