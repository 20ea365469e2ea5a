/**
 * A part of the bundler: `import … from "node:http"` becomes a module that is asked for by name. Node's own import of it reads
 * all that it exports, also what is only loaded when it is read: of http `WebSocket`, and with it Node's whole `fetch`; of
 * crypto all of WebCrypto. Most of our programs use neither.
 */
import type { Plugin } from "rolldown";

const modules = {
  http: process.getBuiltinModule("node:http"),
  https: process.getBuiltinModule("node:https"),
  crypto: process.getBuiltinModule("node:crypto"),
};
const lazy = /^\0lazy (.+)$/;

export const lazyBuiltins: Plugin = {
  name: "lazy builtins",
  resolveId(specifier, _importer, { kind }) {
    const name = specifier.replace(/^node:/, "");
    // What is required isn't read until somebody asks for it.
    return Object.hasOwn(modules, name) && kind === "import-statement" ? `\0lazy ${name}` : null;
  },
  load(id) {
    const name = lazy.exec(id)?.[1] as keyof typeof modules | undefined;
    if (name === undefined) return null;
    // Pure: what nobody imports isn't read.
    const exported = Object.keys(modules[name]).map(
      (key) => `export const ${key} = /* @__PURE__ */ (() => builtin.${key})();`,
    );
    return [`const builtin = process.getBuiltinModule("node:${name}");`, "export default builtin;", ...exported].join(
      "\n",
    );
  },
};
