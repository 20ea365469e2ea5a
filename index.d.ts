export * from "./dist/scripts/library.js";
