/** Imports a module of this package: its source in a checkout, what was built from it in an installed package. */
import { existsSync } from "node:fs";
import { enableCompileCache } from "node:module";

const needed = 24;

export async function launch(module) {
  if (Number.parseInt(process.versions.node, 10) < needed) {
    process.stderr.write(
      `error: cortex needs Node ${needed} or newer, this is ${process.version}\n  in a checkout: npm ci, then npm start, or npx cortex; else install Node ${needed}\n`,
    );
    process.exit(2);
  }
  enableCompileCache();
  const source = new URL(`../${module}.ts`, import.meta.url);
  return import(existsSync(source) ? source.href : new URL(`../dist/${module}.js`, import.meta.url).href);
}
