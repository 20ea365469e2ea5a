/** Arguments of a call as a table, a row a field; what isn't a table is shown as text. */
import { shownLine } from "../../words/names/names.ts";
import { asJson } from "../../words/text/values.ts";
import { visible } from "../../words/text/visible-text.ts";
import "./value-table.css";

export function ValueTable({ value }: { value: unknown }) {
  if (value === undefined || value === null) return null;
  if (typeof value !== "object" || Array.isArray(value)) return <pre class="out">{visible(asJson(value))}</pre>;
  const fields = Object.entries(value);
  if (fields.length === 0) return null;
  return (
    <table class="kv">
      <tbody>
        {fields.map(([name, field]) => (
          <tr key={name}>
            <th scope="row">{shownLine(name)}</th>
            <td>
              <code dir="auto">{visible(asJson(field))}</code>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
