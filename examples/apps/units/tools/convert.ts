/** Two tools of an app. Copy the folder `units` to `apps/` of your journal, and they are `units.convert` and `units.table`. */
import { z } from "zod";

const metres = { mile: 1609.344, yard: 0.9144, foot: 0.3048, km: 1000, m: 1 };
const unit = z.enum(["mile", "yard", "foot", "km", "m"]);

/** The default export is called as its file. `input` may be a schema of zod. */
export default {
  description: "Convert a length from one unit to another.",
  input: z.object({ value: z.number(), from: unit, to: unit }),
  readOnly: true,
  run({ value, from, to }: { value: number; from: keyof typeof metres; to: keyof typeof metres }) {
    // An object is text for the model, and structure for a program. What is thrown is told to the model.
    return { value: (value * metres[from]) / metres[to], unit: to };
  },
};

/** A named export is called by that name. `input` may be a JSON Schema, or left out. */
export const table = {
  description: "The units that convert knows, in metres.",
  readOnly: true,
  run() {
    return Object.entries(metres)
      .map(([name, length]) => `${name}: ${length} m`)
      .join("\n");
  },
};
