/** Imports a module of this package: its source in a checkout, what was built from it in an installed package. */
import { existsSync } from "node:fs";
// As a whole, so that an old Node gets as far as being told that it is old.
import * as nodeModule from "node:module";

const needed = 24;

export async function launch(module) {
  if (Number.parseInt(process.versions.node, 10) < needed) {
    process.stderr.write(
      `error: cortex needs Node ${needed} or newer, this is ${process.version}\n  in a checkout: npm ci, then npx cortex or npm start; elsewhere: install Node ${needed}\n`,
    );
    process.exit(2);
  }
  nodeModule.enableCompileCache();
  const source = new URL(`../${module}.ts`, import.meta.url);
  return import(existsSync(source) ? source.href : new URL(`../dist/${module}.js`, import.meta.url).href);
}
