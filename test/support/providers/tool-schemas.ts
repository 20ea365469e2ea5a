/**
 * Tools as public MCP servers describe them: those of `server-everything` and `server-filesystem`, and forms that other
 * languages' SDKs write (pydantic's `$defs` and `anyOf` with null, TypeBox's unions of constants, recursive ones).
 */

type Schema = Record<string, unknown>;

const draft = { $schema: "http://json-schema.org/draft-07/schema#", additionalProperties: false };
const text = { type: "string" };

const tool = (name: string, properties: Schema, required: string[] = [], more: Schema = draft) => ({
  name,
  inputSchema: { type: "object", properties, ...(required.length > 0 && { required }), ...more } as Schema,
});

export const foreignTools = [
  // server-everything
  tool("echo", { message: { ...text, description: "Message to echo" } }, ["message"]),
  tool("get-env", {}),
  tool("get-sum", { a: { type: "number", description: "First number" }, b: { type: "number" } }, ["a", "b"]),
  tool("trigger-long-running-operation", {
    duration: { type: "number", default: 10, description: "Duration of the operation in seconds" },
    steps: { type: "number", default: 5, description: "Number of steps in the operation" },
  }),
  tool("get-resource-reference", {
    resourceType: { ...text, enum: ["Text", "Blob"], default: "Text" },
    resourceId: { type: "integer", exclusiveMinimum: 0, maximum: 9007199254740991, default: 1 },
  }),
  tool(
    "get-annotated-message",
    {
      messageType: { ...text, enum: ["error", "success", "debug"], description: "Type of message" },
      includeImage: { type: "boolean", default: false, description: "Whether to include an example image" },
    },
    ["messageType"],
  ),
  tool("get-structured-content", { location: { ...text, enum: ["New York", "Chicago", "Los Angeles"] } }, ["location"]),
  tool("gzip-file-as-resource", {
    name: { ...text, default: "README.md.gz" },
    data: {
      ...text,
      format: "uri",
      default: "https://raw.githubusercontent.com/modelcontextprotocol/servers/README.md",
    },
    outputType: { ...text, enum: ["resourceLink", "resource"], default: "resourceLink" },
  }),
  // server-filesystem
  tool(
    "read_text_file",
    {
      path: text,
      tail: { type: "number", description: "If provided, returns only the last N lines of the file" },
      head: { type: "number" },
    },
    ["path"],
  ),
  tool("read_multiple_files", { paths: { type: "array", items: text, minItems: 1 } }, ["paths"]),
  tool(
    "edit_file",
    {
      path: text,
      edits: {
        type: "array",
        items: {
          type: "object",
          properties: { oldText: { ...text, description: "Text to search for" }, newText: text },
          required: ["oldText", "newText"],
          additionalProperties: false,
        },
      },
      dryRun: { type: "boolean", default: false },
    },
    ["path", "edits"],
  ),
  tool("list_directory_with_sizes", { path: text, sortBy: { ...text, enum: ["name", "size"], default: "name" } }, [
    "path",
  ]),
  tool("directory_tree", { path: text, excludePatterns: { type: "array", items: text, default: [] } }, ["path"]),
  tool("list_allowed_directories", {}),
  // As pydantic writes them
  tool(
    "search_issues",
    {
      filter: { $ref: "#/$defs/Filter" },
      limit: { anyOf: [{ type: "integer", exclusiveMinimum: 0 }, { type: "null" }], default: null, title: "Limit" },
      labels: { type: "object", additionalProperties: { type: "string" }, title: "Labels" },
      window: { type: "array", prefixItems: [text, text], minItems: 2, maxItems: 2 },
    },
    ["filter"],
    {
      title: "search_issuesArguments",
      $defs: {
        State: { enum: ["open", "closed"], title: "State", type: "string" },
        Filter: {
          type: "object",
          properties: {
            state: { allOf: [{ $ref: "#/$defs/State" }], default: "open" },
            any_of: { type: "array", items: { $ref: "#/$defs/Filter" } },
          },
        },
      },
    },
  ),
  // As TypeBox and hand-written servers have them
  tool(
    "draw",
    {
      shape: {
        oneOf: [
          { type: "object", properties: { kind: { const: "circle" }, radius: { type: "number" } }, required: ["kind"] },
          { type: "object", properties: { kind: { const: "box" }, size: { type: ["number", "string"] } } },
        ],
        discriminator: { propertyName: "kind" },
      },
      colour: {
        anyOf: [
          { const: "red", type: "string" },
          { const: "blue", type: "string" },
        ],
      },
      opacity: { enum: [0, 0.5, 1] },
      data: {},
      when: { type: "string", format: "date", examples: ["2025-01-08"] },
    },
    ["shape"],
    { patternProperties: { "^x-": {} }, $comment: "drawn by hand" },
  ),
];
