/**
 * A part of the bundler: the MCP SDK's default JSON Schema validator, a third of all its code, becomes one that checks nothing.
 * None of our clients and servers asks it: schemas are checked where they are used, by zod, or in apps by a validator of their own.
 */
import type { Plugin } from "rolldown";

const shims = /^@modelcontextprotocol\/(client|server)\/_shims$/;
const source = `
export { default as process } from "node:process";
export const CORS_IS_POSSIBLE = false;
export class DefaultJsonSchemaValidator {
  getValidator() {
    return (data) => ({ valid: true, data, errorMessage: undefined });
  }
}`;

export const noValidator: Plugin = {
  name: "no validator",
  resolveId: (specifier) => (shims.test(specifier) ? "\0no validator" : null),
  load: (id) => (id === "\0no validator" ? source : null),
};
