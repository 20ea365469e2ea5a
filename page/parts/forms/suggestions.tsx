/** The suggestions for a field, as the browser offers them. */

export function Suggestions({ id, of }: { id: string; of: readonly string[] }) {
  return (
    <datalist id={id}>
      {of.map((one) => (
        <option key={one} value={one} />
      ))}
    </datalist>
  );
}
