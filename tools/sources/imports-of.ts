/** Every import of a source file, of each kind that the language has, read with a real parser. */
import { parseSync, Visitor } from "oxc-parser";

/** `specifier` is null where it can't be known before the code runs. */
export type Import = { specifier: string | null; typeOnly: boolean; line: number };

/** The imports of a file, and what keeps it from being parsed. `file`'s ending says which language it is in. */
export function importsOf(file: string, text: string): { found: Import[]; errors: string[] } {
  const { program, errors } = parseSync(file, text);
  const found: Import[] = [];
  const add = (source: unknown, start: number, typeOnly = false) => {
    found.push({ specifier: literal(source), typeOnly, line: text.slice(0, start).split("\n").length });
  };
  new Visitor({
    // `import { type A }` runs the module all the same: only `import type` is an import of types.
    ImportDeclaration: (node) => add(node.source, node.start, node.importKind === "type"),
    ExportAllDeclaration: (node) => add(node.source, node.start, node.exportKind === "type"),
    ExportNamedDeclaration: (node) => {
      if (node.source) add(node.source, node.start, node.exportKind === "type");
    },
    ImportExpression: (node) => add(node.source, node.start),
    TSImportType: (node) => add(node.source, node.start, true),
    TSExternalModuleReference: (node) => add(node.expression, node.start),
    CallExpression: (node) => {
      const { callee } = node;
      const isAsked =
        callee.type === "MemberExpression" &&
        callee.property.type === "Identifier" &&
        callee.property.name === "getBuiltinModule";
      if (isAsked || (callee.type === "Identifier" && callee.name === "require")) add(node.arguments[0], node.start);
    },
  }).visit(program);
  return { found, errors: errors.map((error) => error.message) };
}

type Literal = { type?: string; value?: unknown; quasis?: { value: { cooked: string | null } }[] };

function literal(source: unknown): string | null {
  const node = source as Literal | undefined;
  if (node?.type === "Literal" && typeof node.value === "string") return node.value;
  if (node?.type === "TemplateLiteral" && node.quasis?.length === 1) return node.quasis[0]?.value.cooked ?? null;
  return null;
}
