/** A time zone in which it is about noon: what is counted by days isn't counted anew during a test. */
export function zoneAtNoon(): string {
  const hours = 12 - new Date().getUTCHours();
  // East of Greenwich is minus in these names.
  return `Etc/GMT${hours < 0 ? "+" : "-"}${Math.abs(hours)}`;
}
