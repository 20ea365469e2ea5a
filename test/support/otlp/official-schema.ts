/**
 * A body of OTLP's JSON, held against the official definitions (`protos/`): each field is one that its message has, of its type, in
 * the form that OTLP's mapping to JSON wants. What passes is then written as protobuf and read back, and must be the same.
 */
import { isDeepStrictEqual } from "node:util";
import { fileURLToPath } from "node:url";
import protobuf from "protobufjs";

const root = new protobuf.Root();
root.resolvePath = (_, target) => fileURLToPath(new URL(`protos/${target}`, import.meta.url));
const collector = "opentelemetry/proto/collector";
root.loadSync([`${collector}/trace/v1/trace_service.proto`, `${collector}/metrics/v1/metrics_service.proto`]);
root.resolveAll();

const requestTypes = {
  "/v1/traces": root.lookupType("opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest"),
  "/v1/metrics": root.lookupType("opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest"),
};
export type OtlpPath = keyof typeof requestTypes;

export const isOtlpPath = (path: string): path is OtlpPath => Object.hasOwn(requestTypes, path);

/** Hex digits of each id: OTLP's exception from protobuf's base64. */
const idDigits: Record<string, number> = { traceId: 32, spanId: 16, parentSpanId: 16 };

const smallIntegers = new Set(["int32", "uint32", "sint32", "fixed32", "sfixed32"]);
const largeIntegers = new Set(["int64", "uint64", "sint64", "fixed64", "sfixed64"]);

/** Lists what is wrong with a body, each with its place; nothing: it is right. */
export function schemaProblems(path: OtlpPath, body: unknown): string[] {
  const type = requestTypes[path];
  const problems = messageProblems(type, body, type.name);
  return problems.length > 0 ? problems : roundTripProblems(type, body as Record<string, unknown>);
}

function messageProblems(type: protobuf.Type, value: unknown, at: string): string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [`${at}: expected a message`];
  const chosen = new Map<string, string>();
  return Object.entries(value).flatMap(([name, field]) => {
    const known = Object.hasOwn(type.fields, name) ? type.fields[name] : undefined;
    const place = `${at}.${name}`;
    if (!known) return [`${place}: ${type.name} has no such field`];
    if (known.options?.["deprecated"]) return [`${place}: is deprecated`];
    const { partOf } = known;
    const rival = partOf ? chosen.get(partOf.name) : undefined;
    if (partOf) chosen.set(partOf.name, name);
    const clash = rival === undefined ? [] : [`${place}: there is ${rival} already`];
    if (!known.repeated) return [...clash, ...valueProblems(known, field, place)];
    if (!Array.isArray(field)) return [`${place}: expected a list`];
    return [...clash, ...field.flatMap((item, index) => valueProblems(known, item, `${place}[${index}]`))];
  });
}

function valueProblems(field: protobuf.Field, value: unknown, at: string): string[] {
  const { resolvedType, type, name } = field;
  const wrong = (expected: string) => [`${at}: expected ${expected}, got ${JSON.stringify(value)}`];
  if (resolvedType instanceof protobuf.Type) return messageProblems(resolvedType, value, at);
  if (resolvedType instanceof protobuf.Enum)
    return typeof value === "number" && Object.hasOwn(resolvedType.valuesById, value)
      ? []
      : wrong(`a ${resolvedType.name} as a number`);
  if (type === "string") return typeof value === "string" && value.isWellFormed() ? [] : wrong("text");
  if (type === "bool") return typeof value === "boolean" ? [] : wrong("true or false");
  if (type === "double" || type === "float") return typeof value === "number" ? [] : wrong("a number");
  if (smallIntegers.has(type)) return Number.isInteger(value) ? [] : wrong("an integer");
  if (largeIntegers.has(type))
    return typeof value === "string" && /^-?\d{1,20}$/.test(value) ? [] : wrong("an integer as text");
  if (type !== "bytes") return wrong(type);
  const digits = idDigits[name];
  const pattern = digits === undefined ? /^[A-Za-z0-9+/]*={0,2}$/ : new RegExp(`^(?!0+$)[0-9a-f]{${digits}}$`);
  return typeof value === "string" && pattern.test(value)
    ? []
    : wrong(digits === undefined ? "base64" : `${digits} hex digits`);
}

function roundTripProblems(type: protobuf.Type, body: Record<string, unknown>): string[] {
  const message = type.fromObject(withIds(body, "hex", "base64") as Record<string, unknown>);
  const problem = type.verify(message);
  if (problem) return [problem];
  const read = type.decode(type.encode(message).finish());
  const back = withIds(type.toObject(read, { longs: String, bytes: String }), "base64", "hex");
  return isDeepStrictEqual(withoutEmpty(back), withoutEmpty(body)) ? [] : [`${type.name}: isn't the same as protobuf`];
}

/** The same with its ids in another form. */
function withIds(value: unknown, from: BufferEncoding, to: BufferEncoding): unknown {
  if (Array.isArray(value)) return value.map((item) => withIds(item, from, to));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) =>
      Object.hasOwn(idDigits, name) && typeof field === "string"
        ? [name, Buffer.from(field, from).toString(to)]
        : [name, withIds(field, from, to)],
    ),
  );
}

/** Protobuf writes no empty lists, and no zeros outside of a choice. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== "object" || value === null) return value;
  const isNothing = (field: unknown) =>
    field === 0 || field === "" || field === "0" || (Array.isArray(field) && field.length === 0);
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) => (isNothing(field) ? [] : [[name, withoutEmpty(field)]])),
  );
}
