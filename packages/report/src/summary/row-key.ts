/** One text for a pair of names, whatever characters they hold. */
export function rowKey(workload: string, operation: string): string {
  return JSON.stringify([workload, operation]);
}
