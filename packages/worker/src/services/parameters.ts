import { PacecarError, type ParameterQuantity } from '@pacecar/protocol';
import { z } from 'zod';
import type { ServiceOrder } from './recipe.js';

const quantity = (kind: ParameterQuantity): { readonly quantity: ParameterQuantity } => ({ quantity: kind });

/** A size, in bytes once the scenario is read. */
export function bytes(least: number, most: number): z.ZodNumber {
  return z.int().min(least).max(most).meta(quantity('size'));
}

/** A duration, in ms once the scenario is read. */
export function milliseconds(least: number, most: number): z.ZodNumber {
  return z.int().min(least).max(most).meta(quantity('duration'));
}

export const port = () =>
  z.int().min(0).max(65_535).default(0).describe('TCP port of the first process on a worker; 0: free ones.');

/** The parameters by the recipe's schema, with its defaults. Throws REQUEST_INVALID with the first fault. */
export function parametersOf<P>(schema: z.ZodType<P>, order: ServiceOrder): P {
  const parsed = schema.safeParse(order.parameters);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const path = issue?.path.join('.') ?? '';
  throw new PacecarError(
    'REQUEST_INVALID',
    `the service ${order.service} (${order.recipe}): ${path === '' ? '' : `${path}: `}${issue?.message ?? 'wrong parameters'}`,
  );
}
