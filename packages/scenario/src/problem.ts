import type { FailureCode } from '@pacecar/protocol';

/** One thing that is wrong with a scenario. The message is complete: what was found, what is allowed, what to do. */
export interface Problem {
  /** The scenario's file as given, or the flag (`--set`, `--group`, `--workers`). */
  readonly file: string;
  /** From 1; 0 where the problem stands in no file. */
  readonly line: number;
  /** From 1, in UTF-16 units; 0 where the problem stands in no file. */
  readonly column: number;
  /** For example `stages[2].measure.mix`; empty for the file as a whole. */
  readonly path: string;
  readonly message: string;
  readonly code: Extract<FailureCode, 'REQUEST_INVALID' | 'UNSUPPORTED'>;
}

/** One line per problem, `file:line:column: path: message`, as compilers write them. */
export function formatProblems(problems: readonly Problem[]): string {
  return problems
    .map((problem) => {
      const place = problem.line === 0 ? problem.file : `${problem.file}:${problem.line}:${problem.column}`;
      return `${place}: ${problem.path === '' ? '' : `${problem.path}: `}${problem.message}`;
    })
    .join('\n');
}
