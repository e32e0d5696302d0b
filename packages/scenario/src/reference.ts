import { PacecarError } from '@pacecar/protocol';

/** JSON schema of the written scenario, for editors. */
export function scenarioJsonSchema(): object {
  throw new PacecarError('INTERNAL', 'no schema yet');
}

/** docs/scenario.md. */
export function scenarioReference(): string {
  throw new PacecarError('INTERNAL', 'no reference yet');
}
