/** The image can't be built here, so its parts are compared: the build's context, the Dockerfile, the package, compose.yaml. */
import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { dirname, join, matchesGlob } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { programs } from "../../bin/bundle.js";
import { importsOf } from "../../tools/sources/imports-of.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string) => readFileSync(join(root, path), "utf8");
const dockerfile = read("Dockerfile");
const tracked = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { cwd: root })
  .toString()
  .trim()
  .split("\n");

/** The last line of .dockerignore that fits a path, or a folder above it, decides. */
function isInContext(path: string, lines = read(".dockerignore").split("\n")): boolean {
  const above = path.split("/").map((_, index, parts) => parts.slice(0, index + 1).join("/"));
  let isIn = true;
  for (const line of lines.map((one) => one.trim()).filter((one) => one !== "" && !one.startsWith("#"))) {
    const pattern = line.replace(/^!/, "");
    if (above.some((part) => fits(part, pattern))) isIn = line.startsWith("!");
  }
  return isIn;
}

/** As Docker has it: a name that begins with a dot is not an exception. */
const fits = (path: string, pattern: string) =>
  new RegExp(`^${pattern.replaceAll(".", "\\.").replaceAll("*", "[^/]*")}$`).test(path);

/** A file, and all of ours that it imports, types included. */
function withImports(file: string, seen: Set<string>): void {
  if (seen.has(file)) return;
  seen.add(file);
  for (const { specifier } of importsOf(file, read(file)).found)
    if (specifier?.startsWith(".")) withImports(join(dirname(file), specifier), seen);
}

test("the context holds what the bundler reads", () => {
  const entries = [...programs.map((program) => `${program}.ts`), "tools/bundle.ts"];
  const seen = new Set<string>();
  for (const entry of entries) withImports(entry, seen);
  const sources = [...seen];
  expect(sources.length).toBeGreaterThan(300);
  expect(sources.filter((path) => !isInContext(path))).toEqual([]);
});

test("the context holds what the compiler reads", () => {
  const { exclude } = JSON.parse(read("tsconfig.build.json")) as { exclude: string[] };
  const isCompiled = (path: string) => path.endsWith(".ts") && !exclude.some((one) => `${path}/`.startsWith(`${one}/`));
  const compiled = tracked.filter(isCompiled);
  expect(compiled.length).toBeGreaterThan(300);
  expect(compiled.filter((path) => !isInContext(path))).toEqual([]);
});

test("the context holds the other files that the build names, and those that the package takes as they are", () => {
  const { scripts, files } = JSON.parse(read("package.json")) as {
    scripts: Record<string, string>;
    files: string[];
  };
  const named = [...(scripts["prepack"] ?? "").matchAll(/\S+\.(?:sh|json|ts)\b/g)].map(([path]) => path);
  expect(named).toEqual(expect.arrayContaining(["tsconfig.build.json", "proc/runs/shim.sh", "tools/bundle.ts"]));
  const taken = files
    .filter((path) => path !== "dist")
    .flatMap((path) => tracked.filter((one) => matchesGlob(one, path) || one.startsWith(`${path}/`)));
  const needed = [...named, ...taken, "package.json", "package-lock.json", "tsconfig.json"];
  expect(needed.filter((path) => !isInContext(path))).toEqual([]);
});

test.each(["test/tools/image.test.ts", "examples/journal/cortex.json", ".git/config", "cortex.env", "node_modules/x"])(
  "%s isn't in the context",
  (path) => expect(isInContext(path)).toBe(false),
);

test("no line of .dockerignore names what isn't there", () => {
  const names = [...read(".dockerignore").matchAll(/^!(.+)$/gm)].map(([, name = ""]) => name);
  expect(names.filter((name) => globSync(name, { cwd: root }).length === 0)).toEqual([]);
});

test("the image has all that the package has, and the programs that the Dockerfile links", () => {
  const { files, bin } = JSON.parse(read("package.json")) as { files: string[]; bin: Record<string, string> };
  const copied = [...dockerfile.matchAll(/^COPY --from=build (.+) \S+$/gm)].flatMap(([, paths = ""]) =>
    paths.split(" ").map((path) => path.replace("/cortex/", "")),
  );
  for (const file of [...files, "package.json", "node_modules"]) expect(copied).toContain(file.replace(/\/$/, ""));
  for (const [name, path] of Object.entries(bin))
    expect(dockerfile).toContain(`ln -s /cortex/${path.replace("./", "")} /usr/local/bin/${name}`);
});

test("the context has everything that the Dockerfile copies from it", () => {
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths = ""]) => paths.split(" "));
  expect(copied).toContain("package.json");
  expect(copied.filter((path) => path !== "." && !isInContext(path))).toEqual([]);
});

/** The keys of compose.yaml that we use, by the Compose Specification; any other is a mistake until it is written here. */
const Compose = z.strictObject({
  services: z.record(
    z.string(),
    z.strictObject({
      build: z.literal("."),
      restart: z.enum(["no", "always", "on-failure", "unless-stopped"]),
      stop_grace_period: z.string().regex(/^\d+s$/),
      environment: z.record(z.string(), z.string()),
      env_file: z.array(z.strictObject({ path: z.string(), required: z.boolean() })),
      volumes: z.array(z.string().regex(/^[\w-]+:\/[\w/-]+$/)),
    }),
  ),
  volumes: z.record(z.string(), z.null()),
});

test("compose.yaml keeps the journal where the image has it, and gives runs longer than cortex does", () => {
  const { services, volumes } = Compose.parse(parse(read("compose.yaml")));
  const { cortex } = services;
  const [, folder] = /^ENV JOURNAL_PATH=(\S+)$/m.exec(dockerfile) ?? [];
  expect(dockerfile).toContain(`\nVOLUME ${folder}\n`);
  const [volume = "", target] = cortex?.volumes[0]?.split(":") ?? [];
  expect([Object.keys(volumes), target]).toEqual([[volume], folder]);
  // stop_grace_seconds, and a while for the rest.
  expect(Number.parseInt(cortex?.stop_grace_period ?? "", 10)).toBeGreaterThanOrEqual(60);
  expect(cortex?.env_file).toEqual([{ path: "cortex.env", required: false }]);
});
