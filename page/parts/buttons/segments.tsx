/** A few choices of which one is taken, side by side. */
import "./segments.css";

type SegmentsProps<Value extends string> = {
  label: string;
  options: readonly (readonly [value: Value, word: string])[];
  value: Value;
  onChange: (value: Value) => void;
};

export function Segments<Value extends string>({ label, options, value, onChange }: SegmentsProps<Value>) {
  return (
    <div class="segments" role="group" aria-label={label}>
      {options.map(([one, word]) => (
        <button key={one} type="button" aria-pressed={one === value} onClick={() => onChange(one)}>
          {word}
        </button>
      ))}
    </div>
  );
}
