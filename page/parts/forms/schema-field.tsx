/** One field of a form from a schema. What was typed and can't be read stays, and says what is wrong with it. */
import { useSignal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import { numberIn, type Read, jsonIn } from "../../words/forms/typed-values.ts";
import type { Field } from "../../words/forms/schema-fields.ts";
import { asJson } from "../../words/text/values.ts";
import { Suggestions } from "./suggestions.tsx";
import { WordList } from "./word-list.tsx";

type FieldProps = {
  id: string;
  field: Field;
  value: unknown;
  isChanged: boolean;
  isRefused: boolean;
  suggestions: readonly string[];
  onChange: (value: unknown) => void;
  onWrong: (problem: string | null) => void;
};

export function SchemaField(props: FieldProps) {
  const { field, value, onChange } = props;
  switch (field.shape.kind) {
    case "text":
      return <TextField {...props} isLong={field.shape.isLong} />;
    case "number": {
      const { isWhole } = field.shape;
      return <TypedField {...props} read={(text) => numberIn(text, isWhole)} />;
    }
    case "choice":
      return <Choice {...props} options={field.shape.options.map((option) => [option, option])} />;
    case "yes-no":
      return (
        <Choice
          {...props}
          value={value === undefined ? undefined : value === true ? "yes" : "no"}
          options={[
            ["yes", "yes"],
            ["no", "no"],
          ]}
          onChange={(picked) => onChange(picked === undefined ? undefined : picked === "yes")}
        />
      );
    case "words":
      return (
        <WordList
          id={props.id}
          words={Array.isArray(value) ? value.map(String) : []}
          suggestions={field.shape.options.length > 0 ? field.shape.options : props.suggestions}
          class={classOf(props)}
          onChange={(words) => onChange(words.length === 0 ? undefined : words)}
        />
      );
    default:
      return <TypedField {...props} isLong read={jsonIn} />;
  }
}

const classOf = ({ isChanged, isRefused }: Pick<FieldProps, "isChanged" | "isRefused">, isWrong = isRefused) =>
  `field${isChanged ? " changed" : ""}${isWrong || isRefused ? " wrong" : ""}`;

function TextField(props: FieldProps & { isLong: boolean }) {
  const { id, field, value, isLong, isRefused, suggestions, onChange } = props;
  const text = typeof value === "string" ? value : "";
  const shared = {
    id,
    value: text,
    placeholder: placeholderOf(field),
    "aria-invalid": isRefused,
    "aria-describedby": `${id}-note`,
    spellcheck: isLong,
  };
  const changed = (now: string) => onChange(now === "" ? undefined : now);
  if (isLong)
    return (
      <textarea
        {...shared}
        class={`${classOf(props)} grows`}
        rows={2}
        onInput={(event) => changed(event.currentTarget.value)}
      />
    );
  const list = suggestions.length > 0 ? { list: `${id}-list` } : {};
  return (
    <div class={classOf(props)}>
      <input {...shared} {...list} autocomplete="off" onInput={(event) => changed(event.currentTarget.value)} />
      {suggestions.length > 0 && <Suggestions id={`${id}-list`} of={suggestions} />}
    </div>
  );
}

/** A value that is written as text and may be misspelt: a number, JSON. */
function TypedField(props: FieldProps & { read: (text: string) => Read; isLong?: boolean }) {
  const { id, field, value, read, isLong = false, isRefused, onChange, onWrong } = props;
  // What was typed stands as long as the value is the one that it gave.
  const typed = useSignal<{ text: string; json: string | undefined; problem: string | null } | null>(null);
  const isTyped = typed.value !== null && typed.value.json === JSON.stringify(value);
  const text = isTyped ? (typed.value?.text ?? "") : asJson(value);
  const problem = isTyped ? (typed.value?.problem ?? null) : null;
  // With what is drawn: a key that is pressed as soon as the value is seen finds the button as it has to be.
  useLayoutEffect(() => {
    if (problem === null) return;
    onWrong(problem);
    return () => onWrong(null);
  }, [problem]);
  const type = (now: string) => {
    const found = read(now);
    const isRead = "value" in found;
    typed.value = {
      text: now,
      json: JSON.stringify(isRead ? found.value : value),
      problem: isRead ? null : found.problem,
    };
    if (isRead) onChange(found.value);
  };
  const shared = {
    id,
    value: text,
    placeholder: placeholderOf(field),
    "aria-invalid": isRefused || problem !== null,
    "aria-describedby": `${id}-note ${id}-wrong`,
    spellcheck: false,
    autocomplete: "off",
  } as const;
  return (
    <>
      {isLong ? (
        <textarea
          {...shared}
          class={`${classOf(props, problem !== null)} grows mono`}
          rows={2}
          onInput={(event) => type(event.currentTarget.value)}
        />
      ) : (
        <div class={classOf(props, problem !== null)}>
          <input {...shared} inputMode="decimal" onInput={(event) => type(event.currentTarget.value)} />
          {field.unit !== "" && <span class="ink-3">{field.unit}</span>}
        </div>
      )}
      <p class="t-failed small" id={`${id}-wrong`} role={problem === null ? undefined : "alert"}>
        {problem}
      </p>
    </>
  );
}

type ChoiceProps = FieldProps & { options: readonly (readonly [value: string, text: string])[] };

function Choice(props: ChoiceProps) {
  const { id, field, value, options, onChange } = props;
  const fallback = field.fallback === undefined ? "as usual" : `as usual, ${plain(field.fallback)}`;
  return (
    <select
      id={id}
      class={classOf(props)}
      value={typeof value === "string" ? value : ""}
      aria-describedby={`${id}-note`}
      aria-invalid={props.isRefused}
      onChange={(event) => onChange(event.currentTarget.value === "" ? undefined : event.currentTarget.value)}
    >
      {(!field.isRequired || value === undefined) && <option value="">{field.isRequired ? "choose" : fallback}</option>}
      {options.map(([option, text]) => (
        <option key={option} value={option}>
          {text}
        </option>
      ))}
    </select>
  );
}

const placeholderOf = ({ fallback }: Field) =>
  fallback === undefined || typeof fallback === "object" ? "" : plain(fallback);

const plain = (value: unknown) => (typeof value === "boolean" ? (value ? "yes" : "no") : asJson(value));
