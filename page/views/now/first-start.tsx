/** The words of Now before anything has run. */

export function FirstStart() {
  return (
    <>
      Ask something here, or at the terminal:{" "}
      <code>cortex request "What did we decide about the greenhouse heater?"</code>
    </>
  );
}
