/** What may be meant by a field, as the browser offers it. */

export function Suggestions({ id, of }: { id: string; of: readonly string[] }) {
  return (
    <datalist id={id}>
      {of.map((one) => (
        <option key={one} value={one} />
      ))}
    </datalist>
  );
}
