/** Goes to a run's page, as a link there would. */

export function goToRun({ id }: { id: string }): void {
  const link = document.createElement("a");
  link.href = `/runs/${id}`;
  document.body.append(link);
  link.click();
  link.remove();
}
