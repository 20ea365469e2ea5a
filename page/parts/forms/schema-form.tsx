/** A form from a JSON Schema: a field for each value, JSON for what has no field. */
import { useId, useMemo } from "preact/hooks";
import { firstSentence } from "../../words/forms/field-labels.ts";
import { countOf } from "../../words/amounts/money.ts";
import {
  at,
  type Field,
  fieldsOf,
  type JsonSchema,
  valuesOf,
  type Values,
  withField,
} from "../../words/forms/schema-fields.ts";
import { asJson } from "../../words/text/values.ts";
import { SchemaField } from "./schema-field.tsx";
import "./field.css";
import "./schema-form.css";

export type SchemaFormProps = {
  schema: JsonSchema;
  value: Values;
  onChange: (value: Values) => void;
  /** As it was saved: what differs from it is marked, with what it was. */
  saved?: Values | undefined;
  /** Why the server would not have a field: by its path, `budgets.daily`. */
  problems?: Readonly<Record<string, string>>;
  /** A field holds what can't be read, such as broken JSON, so its value is still the one before; null: no longer. */
  onWrong?: (path: string, problem: string | null) => void;
  /** The names that are shown at once; of others those that have a value, and the rest when it is asked for. Default: all. */
  first?: readonly string[];
  labels?: Readonly<Record<string, string>>;
  /** The suggestions for a field of texts: by its name. */
  suggestions?: Readonly<Record<string, readonly string[]>>;
  /** With the first sentence of what each field is. */
  isDescribed?: boolean;
};

export function SchemaForm(props: SchemaFormProps) {
  const { schema, value, first } = props;
  const fields = fieldsOf(schema, value);
  // Chosen once: a field that gets a value stays where it is.
  const early = useMemo(() => (first ? new Set([...first, ...Object.keys(value)]) : null), [schema]);
  const shown =
    early === null
      ? fields
      : sortedBy(
          first ?? [],
          fields.filter(({ name }) => early.has(name)),
        );
  const rest = early === null ? [] : fields.filter(({ name }) => !early.has(name));
  const group = { ...props, path: "" };
  return (
    <div class="schema-form">
      <Rows {...group} fields={shown} />
      {rest.length > 0 && (
        <details class="schema-more">
          <summary>{countOf(rest.length, "more setting")}</summary>
          <Rows {...group} fields={rest} isDescribed />
        </details>
      )}
    </div>
  );
}

function sortedBy(names: readonly string[], fields: readonly Field[]): Field[] {
  const rank = ({ name }: Field) => (names.includes(name) ? names.indexOf(name) : names.length);
  return fields.toSorted((one, other) => rank(one) - rank(other));
}

type GroupProps = SchemaFormProps & { fields: readonly Field[]; path: string };

function Rows(props: GroupProps) {
  return (
    <>
      {props.fields.map((field) =>
        field.shape.kind === "group" ? (
          <Group key={field.name} {...props} field={field} fields={field.shape.fields} />
        ) : (
          <Row key={field.name} {...props} field={field} />
        ),
      )}
    </>
  );
}

/** An object within: folded where it says nothing yet. */
function Group(props: GroupProps & { field: Field }) {
  const { field, value, saved, onChange, path, labels, isDescribed } = props;
  const own = at(value, field.name);
  const count = Object.keys(valuesOf(own)).length;
  const isOpen = useMemo(() => count > 0 || field.isRequired, [field.name]);
  return (
    <details class="schema-group" open={isOpen}>
      <summary>
        <span class="strong">{at(labels, field.name) ?? field.label}</span>{" "}
        <span class="ink-3">{count === 0 ? "nothing set" : `${count} set`}</span>
      </summary>
      {isDescribed && field.description !== "" && <p class="schema-note">{firstSentence(field.description)}</p>}
      <Rows
        {...props}
        path={`${path}${field.name}.`}
        value={valuesOf(own)}
        saved={saved === undefined ? undefined : valuesOf(at(saved, field.name))}
        onChange={(changed) => {
          const isEmpty = Object.keys(changed).length === 0 && !field.isRequired;
          onChange(withField(value, field.name, isEmpty ? undefined : changed));
        }}
      />
    </details>
  );
}

function Row(props: GroupProps & { field: Field }) {
  const { field, value, saved, onChange, path, problems, onWrong, labels, suggestions, isDescribed } = props;
  const id = useId();
  const own = at(value, field.name);
  const before = at(saved, field.name);
  const isChanged = saved !== undefined && JSON.stringify(before) !== JSON.stringify(own);
  const problem = at(problems, path + field.name);
  return (
    <div class={`schema-row ${field.shape.kind}`}>
      <label for={id} id={`${id}-name`}>
        {at(labels, field.name) ?? field.label}
        {field.isRequired && <span class="ink-3"> (needed)</span>}
      </label>
      <div>
        <SchemaField
          id={id}
          field={field}
          value={own}
          isChanged={isChanged}
          isRefused={problem !== undefined}
          suggestions={at(suggestions, field.name) ?? []}
          onChange={(changed) => onChange(withField(value, field.name, changed))}
          onWrong={(wrong) => onWrong?.(path + field.name, wrong)}
        />
        <div id={`${id}-note`}>
          {problem !== undefined && (
            <p class="t-failed small" role="alert">
              {problem}
            </p>
          )}
          {isChanged && <p class="schema-note">was {wordsOf(before)}</p>}
          {isDescribed && field.description !== "" && (
            <p class="schema-note" title={field.description}>
              {firstSentence(field.description)}
            </p>
          )}
        </div>
      </div>
    </div>
  );
}

const longest = 80;

function wordsOf(value: unknown): string {
  if (value === undefined) return "not set";
  if (typeof value === "boolean") return value ? "yes" : "no";
  const text = (
    Array.isArray(value) && value.every((one) => typeof one === "string") ? value.join(", ") : asJson(value)
  )
    .replaceAll(/\s+/g, " ")
    .trim();
  return text.length > longest ? `${text.slice(0, longest)}…` : text || "empty";
}
