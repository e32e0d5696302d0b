/**
 * What a failed connection says of itself. A name with several addresses fails with an error that has no message of
 * its own, only one for each address.
 */
export function connectionReason(error: Error): string {
  if (error instanceof AggregateError)
    return error.errors.map((each) => (each instanceof Error ? each.message : String(each))).join('; ');
  return error.message;
}
